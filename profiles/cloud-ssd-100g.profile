# SSD cloud disk of 100 GiB: document 002
kind = cloud
size = 100g
iops_base = 1800
iops_per_gib = 30
iops_max = 25000
# 118 and not the price list's 120: the document measured 166 to 168 MiB/s.
bytes_base = 118m
bytes_per_gib = 512k
bytes_max = 300m
read_latency = 550us
write_latency = 650us
jitter = 50us
