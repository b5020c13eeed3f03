"""Rigs: real devices and file systems for whole-command tests, set up and taken down by the test
that needs them.

    from rigs.loop import Loop
    from rigs.assay import run

    def test_reads_a_loop_device(rig):
        loop = rig(Loop, size=64 << 20)        # skips by name where the machine cannot
        assert run(["run", "--rw=read", f"--filename={loop.dev}"]).rc == 0

Every rig is a context manager as well. What it holds is listed in a ledger on disk, so that it is
taken down after a failure, a signal, and (by the next session) after SIGKILL.
"""
