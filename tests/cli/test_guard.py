"""No data destroyed by surprise, by whole commands: devices in use, devices and files that hold
data, consent, and what `assay quick` makes and removes.
"""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rigs import coverage
from rigs.assay import ASSAY, FIO_FACE, Result, Running, run
from rigs.filesystem import FileSystem
from rigs.held import tool, wait_until
from rigs.loop import Loop
from rigs.rig import Rig
from rigs.scratch import Scratch

MIB = 1 << 20
REFUSED = 5
FACES = ["native", "fio"]


class Swap(Rig):
    """A loop device in use as swap."""

    programs = ("mkswap", "swapon", "swapoff")

    def up(self) -> None:
        self.loop = self.use(Loop(16 * MIB))
        tool("mkswap", self.loop.dev)
        words = ["swapon", self.loop.dev]
        done = subprocess.run(words, capture_output=True, check=False)
        self.on = done.returncode == 0

    def down(self) -> list[str]:
        if getattr(self, "on", False):
            tool("swapoff", self.loop.dev)
            self.on = False
        return super().down()


def write(face: str, target: str | Path, *more: str, **how: Any) -> Result:
    words = ["--name=j", "--rw=write", "--bs=4k", "--size=64k", f"--filename={target}", *more]
    if face == "native":
        return run(["run", *words], program=ASSAY, **how)
    return run(words, program=FIO_FACE, **how)


def refused(face: str, result: Result, *says: str) -> None:
    assert result.rc == (REFUSED if face == "native" else 1), result
    assert len(result.err.strip().splitlines()) <= 3, result
    for word in says:
        assert word in result.err, result


def token(device: str) -> str:
    """Of a device without a serial: NAME:BYTES."""
    size = int(Path(f"/sys/block/{Path(device).name}/size").read_text(encoding="ascii")) * 512
    return f"{Path(device).name}:{size}"


def reads(device: str) -> int:
    """Requests that the kernel has completed."""
    return int(Path(f"/sys/block/{Path(device).name}/stat").read_text(encoding="ascii").split()[0])


def content(device: str | Path) -> bytes:
    return Path(device).read_bytes()


@pytest.fixture(autouse=True)
def _programs(assay: Path, fio_face: Path) -> None:
    """Both must be built."""


@pytest.fixture(params=FACES)
def face(request: Any) -> str:
    return request.param


# Devices in use: nothing overrides that


@pytest.mark.parametrize("consent", ["none", "token", "environment"])
def test_mounted_device_is_refused(face: str, consent: str, rig: Callable[..., Any]) -> None:
    fs = rig(FileSystem, "ext4", 16 * MIB)
    fs.file("precious", b"x" * 4096)
    more, env = [], {}
    if consent == "token" and face == "native":
        more = [f"--destroy={token(fs.device)}"]
    elif consent != "none":
        env = {"ASSAY_DESTROY": token(fs.device)}
    refused(face, write(face, fs.device, *more, env=env), fs.device, "mounted", str(fs.path))
    assert (fs.path / "precious").read_bytes() == b"x" * 4096


def test_the_guard_speaks_before_the_store(rig: Callable[..., Any]) -> None:
    """Both would refuse; only the store's refusal has a way round, which would lead nowhere."""
    fs = rig(FileSystem, "ext4", 16 * MIB)
    result = write("native", fs.device, f"--store={fs.path}/results.db")
    refused("native", result, fs.device, "mounted")
    assert "--no-store" not in result.err


def test_fios_guard_still_refuses_a_mounted_device(rig: Callable[..., Any]) -> None:
    fs = rig(FileSystem, "ext4", 16 * MIB)
    refused("fio", write("fio", fs.device, env={"ASSAY_GUARD": "fio"}), "mounted")


def test_swap_is_refused(face: str, rig: Callable[..., Any], need: Any) -> None:
    swap = rig(Swap)
    need(None if swap.on else "swapon is not allowed here")
    env = {"ASSAY_DESTROY": token(swap.loop.dev)}
    refused(face, write(face, swap.loop.dev, env=env), swap.loop.dev, "swap")


def test_file_below_a_mounted_device_is_refused(face: str, rig: Callable[..., Any]) -> None:
    """fio's face writes files without asking, but none that is a mounted file system."""
    fs = rig(FileSystem, "ext4", 16 * MIB)
    backing = Path(f"/sys/block/{Path(fs.device).name}/loop/backing_file").read_text().strip()
    refused(face, write(face, backing), backing, "mounted", str(fs.path))


def test_device_below_a_mounted_one_is_refused(face: str, rig: Callable[..., Any]) -> None:
    """The whole is in use where a part is: here a loop device over a loop device."""
    lower = rig(Loop, size=32 * MIB)
    upper = rig(Loop, backing=Path(lower.dev))
    tool("mkfs.ext4", "-q", "-F", upper.dev)
    env = {"ASSAY_DESTROY": token(lower.dev)}
    refused(face, write(face, lower.dev, env=env), lower.dev, Path(upper.dev).name)


def test_mounted_partition_guards_its_disk(face: str, rig: Callable[..., Any], need: Any) -> None:
    need(None if _has("sfdisk") and _has("losetup") else "no sfdisk")
    loop = rig(Loop, size=32 * MIB)
    subprocess.run(["sfdisk", "-q", loop.dev], input="2048,\n", text=True, check=True)
    tool("partx", "-a", loop.dev)
    try:
        part = f"{loop.dev}p1"
        need(None if wait_until(lambda: os.path.exists(part), 2) else "no partitions on loops")
        tool("mkfs.ext4", "-q", "-F", part)
        room = rig(Scratch)
        tool("mount", part, room.path)
        try:
            env = {"ASSAY_DESTROY": token(loop.dev)}
            refused(face, write(face, loop.dev, env=env), "mounted", f"{Path(part).name}")
        finally:
            tool("umount", room.path)
    finally:
        tool("partx", "-d", loop.dev)


def _has(program: str) -> bool:
    return any(os.access(f"{f}/{program}", os.X_OK) for f in os.environ["PATH"].split(":"))


# Devices that hold data


SIGNATURES = {
    "ext4": ["mkfs.ext4", "-q", "-F"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "swap": ["mkswap"],
}


@pytest.mark.parametrize("kind", SIGNATURES)
def test_signature_is_refused_by_name(
    kind: str, face: str, rig: Callable[..., Any], need: Any
) -> None:
    need(None if _has(SIGNATURES[kind][0]) else f"no {SIGNATURES[kind][0]}")
    loop = rig(Loop, size=(300 if kind == "xfs" else 16) * MIB, ram=True)
    tool(*SIGNATURES[kind], loop.dev)
    before = content(loop.backing)[: 4 * MIB]
    refused(face, write(face, loop.dev), loop.dev, kind, token(loop.dev))
    assert content(loop.backing)[: 4 * MIB] == before


def test_token_is_consent_once_given(rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=16 * MIB)
    tool("mkfs.ext4", "-q", "-F", loop.dev)
    refused("native", write("native", loop.dev, f"--destroy={Path(loop.dev).name}"), "destroy")
    refused("native", write("native", loop.dev, "--destroy=loop999:16777216"), "destroy")
    write("native", loop.dev, f"--destroy={token(loop.dev)}").check()
    assert b"\x53\xef" != content(loop.backing)[1080:1082]


@pytest.mark.parametrize("variable", ["ASSAY_DESTROY", "ASSAY_GUARD"])
def test_fio_face_is_told_by_the_environment(variable: str, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=16 * MIB)
    tool("mkfs.ext4", "-q", "-F", loop.dev)
    value = token(loop.dev) if variable == "ASSAY_DESTROY" else "fio"
    write("fio", loop.dev, env={variable: value}).check()
    assert b"\x53\xef" != content(loop.backing)[1080:1082]


def test_blank_device_needs_no_consent(face: str, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=4 * MIB)
    write(face, loop.dev).check()


def test_data_without_a_signature(face: str, rig: Callable[..., Any]) -> None:
    """The native face asks, fio's does not."""
    loop = rig(Loop, size=4 * MIB)
    coverage.paint(loop.dev, 4 * MIB)
    result = write(face, loop.dev)
    if face == "native":
        refused(face, result, loop.dev, token(loop.dev))
        assert coverage.changed_blocks(loop.dev) == []
    else:
        result.check()
        assert coverage.changed_blocks(loop.dev) == list(range(16))


def test_trim_is_writing(face: str, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=16 * MIB)
    tool("mkfs.ext4", "-q", "-F", loop.dev)
    before = content(loop.backing)
    refused(face, write(face, loop.dev, "--rw=trim"), loop.dev)
    assert content(loop.backing) == before


def test_readonly_wins_over_everything(face: str, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=4 * MIB)
    coverage.paint(loop.dev, 4 * MIB)
    more = ["--readonly"] + ([f"--destroy={token(loop.dev)}"] if face == "native" else [])
    env = {"ASSAY_DESTROY": token(loop.dev), "ASSAY_GUARD": "fio"}
    result = write(face, loop.dev, *more, env=env)
    assert result.rc == (result.rc and (result.rc if face == "native" else 1)) != 0, result
    assert "readonly" in result.err, result
    assert coverage.changed_blocks(loop.dev) == []


def test_reading_needs_no_consent(face: str, rig: Callable[..., Any]) -> None:
    fs = rig(FileSystem, "ext4", 16 * MIB)
    write(face, fs.device, "--rw=read", "--readonly").check()


# Files


def test_typo_below_dev_makes_no_file(face: str) -> None:
    typo = Path("/dev/nullx")
    assert not typo.exists()
    result = write(face, typo)
    try:
        refused(face, result, "/dev/nullx")
        assert not typo.exists()
    finally:
        typo.unlink(missing_ok=True)


def test_shared_memory_is_no_typo(face: str) -> None:
    file = Path(f"/dev/shm/assay-test-{os.getpid()}")
    try:
        write(face, file).check()
    finally:
        file.unlink(missing_ok=True)


def test_file_that_is_not_ours(face: str, scratch: Scratch) -> None:
    """The native face asks, and takes the path or the name; fio's writes without asking."""
    file = scratch.path / "precious"
    coverage.paint(file, MIB)
    result = write(face, file)
    if face == "fio":
        result.check()
        return
    refused(face, result, "precious", f"--destroy={file}")
    assert coverage.changed_blocks(file) == []
    assert file.stat().st_size == MIB
    write(face, file, f"--destroy={file}").check()
    assert coverage.changed_blocks(file) == list(range(16))


def test_our_own_file_is_written_again(scratch: Scratch) -> None:
    file = scratch.path / "ours"
    write("native", file).check()
    write("native", file).check()
    write("native", file, "--unlink=1").check()
    assert not file.exists()


def test_unlink_does_not_remove_what_is_not_ours(scratch: Scratch) -> None:
    file = scratch.path / "precious"
    coverage.paint(file, MIB)
    write("native", file, "--rw=read", "--unlink=1")
    assert coverage.changed_blocks(file) == []
    assert file.stat().st_size == MIB


@pytest.mark.parametrize("command", ["run", "fio"])
def test_max_write_is_a_hard_stop(command: str, scratch: Scratch) -> None:
    file = scratch.path / "data"
    words = [command, "--name=j", "--rw=write", "--size=4m", f"--filename={file}"]
    run([*words, "--max-write=1m", "--direct=1", "--fallocate=none"]).check()
    assert file.stat().st_size == MIB


def test_max_write_counts_what_is_laid_out(scratch: Scratch) -> None:
    words = ["run", "--name=j", "--size=4m", f"--directory={scratch.path}"]
    result = run([*words, "--rw=read", "--max-write=1m"])
    refused_by_limit(result, scratch)
    more = ["--rw=write", "--overwrite=1", "--max-write=5m", "--format=json"]
    answer = run([*words, *more]).json()
    assert answer["groups"][0]["write"]["bytes"] == MIB


def test_max_write_holds_for_quick(scratch: Scratch) -> None:
    words = ["quick", "--size=16m", "--time=0.2", "--max-write=1m", "--cells=SEQ1M-Q1T1"]
    refused_by_limit(run(words, cwd=scratch.path), scratch)


def refused_by_limit(result: Result, scratch: Scratch) -> None:
    result.check(4)
    assert "--max-write" in result.err
    assert list(scratch.path.iterdir()) == []


# assay quick

QUICK = ["quick", "--size=16m", "--time=0.2", "--cells=RND4K-Q1T1"]


def test_quick_leaves_its_folder_as_it_was(scratch: Scratch) -> None:
    (scratch.path / "other").write_bytes(b"x")
    result = run(QUICK, cwd=scratch.path).check()
    assert "RND4K" in result.out
    assert [p.name for p in scratch.path.iterdir()] == ["other"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_quick_removes_its_file_after_a_signal(number: int, scratch: Scratch) -> None:
    words = ["quick", "--size=16m", "--time=20", "--cells=RND4K-Q1T1"]
    with Running(words, cwd=scratch.path) as running:
        assert wait_until(lambda: list(scratch.path.iterdir()) != [], 10)
        wait_until(lambda: running.child.poll() is not None, 0.7)
        running.signal(number)
        result = running.finish(20)
    assert result.rc == 128 + number, result
    assert list(scratch.path.iterdir()) == []


def test_quick_finds_what_a_killed_one_left(scratch: Scratch) -> None:
    words = ["quick", "--size=16m", "--time=20", "--cells=RND4K-Q1T1"]
    with Running(words, cwd=scratch.path) as running:
        assert wait_until(lambda: list(scratch.path.iterdir()) != [], 10)
        wait_until(lambda: running.child.poll() is not None, 0.5)
        running.signal(signal.SIGKILL)
        running.finish(20)
    (left,) = list(scratch.path.iterdir())
    (scratch.path / "other").write_bytes(b"x")
    result = run(QUICK, cwd=scratch.path).check()
    assert left.name in result.err + result.out
    assert left.exists()
    run([*QUICK, "--clean"], cwd=scratch.path).check()
    assert [p.name for p in scratch.path.iterdir()] == ["other"]


def test_quick_reads_an_existing_file(scratch: Scratch) -> None:
    file = scratch.path / "precious"
    coverage.paint(file, 16 * MIB)
    run(["quick", "--time=0.2", "--cells=RND4K-Q1T1", "--no-write", file]).check()
    assert coverage.changed_blocks(file) == []
    result = run(["quick", "--time=0.2", "--cells=RND4K-Q1T1", file])
    assert result.rc in (0, REFUSED), result
    assert coverage.changed_blocks(file) == []
    assert file.exists()


def test_quick_reads_a_device_only(rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=16 * MIB)
    coverage.paint(loop.dev, 16 * MIB)
    run(["quick", "--time=0.2", "--cells=RND4K-Q1T1", loop.dev]).check()
    assert coverage.changed_blocks(loop.dev) == []
    words = ["quick", "--time=0.2", "--cells=RND4K-Q1T1", "--write", loop.dev]
    before = reads(loop.dev)
    refused("native", run(words), token(loop.dev))
    assert reads(loop.dev) - before < 1000  # the guard's samples: it is asked before any cell
    assert coverage.changed_blocks(loop.dev) == []
    run([*words, f"--destroy={token(loop.dev)}"]).check()
    assert coverage.changed_blocks(loop.dev) != []


def test_targets_lists_the_token(rig: Callable[..., Any]) -> None:
    fs = rig(FileSystem, "ext4", 16 * MIB)
    out = run(["targets"]).check().out
    assert token(fs.device) in out
    assert str(fs.path) in out or "mounted" in out
