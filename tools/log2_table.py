#!/usr/bin/python3
"""Prints the table of src/sim/draw.c: log2(1 + i / 64) * 2^32, exactly rounded."""

from decimal import Decimal, getcontext

getcontext().prec = 60
values = [int((Decimal(64 + i) / 64).ln() / Decimal(2).ln() * 2**32 + Decimal("0.5")) for i in range(64)]
for start in range(0, 64, 8):
    print("\t" + " ".join(f"{value}u," for value in values[start : start + 8]))
