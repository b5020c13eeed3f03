"""A guest of QEMU's with drives that the host lacks: NVMe, SATA and SCSI, emulated."""

import lzma
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import places
from .held import tool
from .rig import Rig

KERNEL = Path(os.environ.get("ASSAY_GUEST_KERNEL") or places.BUILD / "guest-kernel")
MODULES = ("virtio_pci", "virtio_scsi", "nvme", "ahci", "sd_mod", "sg")
SERIAL = "ASSAYRIG"  # what begins with it may be erased by a test that runs inside

INIT = """#!/bin/busybox sh
export PATH=/bin:/usr/bin:/usr/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys
mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
for module in /lib/modules/*; do insmod $module 2>/dev/null; done
n=0
while [ $n -lt 100 ]; do
    [ -b /dev/nvme0n1 ] && [ -b /dev/sda ] && [ -b /dev/sdb ] && break
    sleep 0.1; n=$((n + 1))
done
. /job
echo "GUEST-DONE $?"
poweroff -f
"""


class Guest(Rig):
    """Good for commands that drives themselves carry out: health, format, write caches. One NVMe
    (nvme0n1), one SATA and one SCSI drive of `size` bytes (sda, sdb in either order). All is
    emulated, by interpretation: 10 to 25 s for a boot, and nothing about speed.
    """

    needs_root = False
    programs = ("qemu-system-x86_64", "busybox", "cpio", "modprobe", "ldd")

    def __init__(self, size: int = 8 << 20):
        self.size = size

    @classmethod
    def lacks(cls) -> str | None:
        if not list(KERNEL.glob("boot/vmlinuz-*")):
            return "no guest kernel (tools/guest-kernel fetches one)"
        return None

    def up(self) -> None:
        self.room = self.folder("guest")
        for name in ("nvme", "sata", "scsi"):
            with open(self.room / name, "wb") as file:
                file.truncate(self.size)

    def run(self, job: str, programs: Sequence[str | Path], timeout: float = 120) -> str:
        """Boots, runs the shell text `job` with these programs and their libraries in the PATH;
        what the console said.
        """
        image = self._image()
        root = self.room / "root"
        self._fill(root, job, programs)
        archive = self.room / "initrd"
        with open(archive, "wb") as out:
            names = subprocess.run(
                ["find", ".", "-print0"], cwd=root, check=True, stdout=subprocess.PIPE
            ).stdout
            subprocess.run(
                ["cpio", "-o", "-0", "-H", "newc", "--quiet"],
                cwd=root, input=names, stdout=out, check=True,
            )
        shutil.rmtree(root)
        command = [
            *("qemu-system-x86_64", "-accel", "tcg", "-m", "512", "-nodefaults", "-no-reboot"),
            *("-display", "none", "-serial", "stdio", "-kernel", str(image)),
            *("-initrd", str(archive), "-append", "console=ttyS0 quiet panic=-1 mitigations=off"),
            *self._drives(),
        ]
        # timeout(1) ends it also if this process is killed meanwhile.
        ended = subprocess.run(
            ["timeout", str(timeout), *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        return ended.stdout.decode(errors="replace").replace("\r", "")

    def _drives(self) -> list[str]:
        words = ["-device", "ahci,id=ahci", "-device", "virtio-scsi-pci,id=scsi"]
        for number, (name, device) in enumerate(
            {"nvme": "nvme", "sata": "ide-hd,bus=ahci.0", "scsi": "scsi-hd,bus=scsi.0"}.items()
        ):
            file = self.room / name
            words += ["-drive", f"file={file},if=none,id={name},format=raw,discard=unmap"]
            words += ["-device", f"{device},drive={name},serial={SERIAL}{number}"]
        return words

    def _image(self) -> Path:
        """The kernel without its slow unpacking of itself: QEMU boots an ELF file by PVH."""
        image = self.room / "vmlinux"
        if not image.exists():
            packed = next(iter(KERNEL.glob("boot/vmlinuz-*"))).read_bytes()
            start = packed.find(b"\xfd7zXZ\0")
            if start < 0:
                raise OSError(f"{KERNEL}: its kernel is not packed by xz")
            image.write_bytes(lzma.LZMADecompressor().decompress(packed[start:]))
        return image

    def _fill(self, root: Path, job: str, programs: Sequence[str | Path]) -> None:
        for name in ("bin", "usr/bin", "proc", "sys", "dev", "tmp", "etc", "lib/modules"):
            (root / name).mkdir(parents=True)
        busybox = shutil.which("busybox")
        assert busybox
        shutil.copy(busybox, root / "bin/busybox")
        for name in tool("busybox", "--list").split():
            if name != "busybox":
                (root / "bin" / name).symlink_to("busybox")
        for program in (found for p in programs if (found := shutil.which(p))):
            shutil.copy(program, root / "usr/bin")
            for library in re.findall(r"/\S+", tool("ldd", program)):
                target = root / library.lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, target)
        for number, module in enumerate(_modules()):
            shutil.copy(module, root / "lib/modules" / f"{number:03d}-{Path(module).name}")
        (root / "job").write_text(job, encoding="ascii")
        (root / "init").write_text(INIT, encoding="ascii")
        (root / "init").chmod(0o755)


def _modules() -> list[str]:
    """The files of MODULES and what they need, in the order of loading."""
    version = next(iter(KERNEL.glob("lib/modules/*"))).name
    files: dict[str, None] = {}
    for module in MODULES:
        said = tool("modprobe", "-d", str(KERNEL), "-S", version, "--show-depends", module)
        for line in said.splitlines():
            if line.startswith("insmod "):
                files[line.split()[1]] = None
    return list(files)
