"""Another machine's /sys, for one command: a folder of files mounted over it in a mount namespace of
the command's own. The program reads real files, and nobody else sees them.
"""

from collections.abc import Sequence
from pathlib import Path

from .loop import Loop
from .rig import Rig
from .throttle import device_number

PCI = "devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"
DISK = f"{PCI}/nvme/nvme0/nvme0n1"
CPU, NODE, POWER = "devices/system/cpu", "devices/system/node", "class/power_supply"
STILL = " ".join(["0"] * 17)  # the drive's counters

# A machine of which there is nothing to say: two CPUs on two nodes, all of it at its best.
FILES = {
    f"{PCI}/current_link_speed": "32.0 GT/s PCIe",
    f"{PCI}/current_link_width": "16",
    f"{PCI}/max_link_speed": "32.0 GT/s PCIe",
    f"{PCI}/max_link_width": "16",
    f"{PCI}/numa_node": "0",
    f"{PCI}/nvme/nvme0/model": "RIG 9000",
    f"{PCI}/nvme/nvme0/serial": "RIG0001",
    f"{PCI}/nvme/nvme0/state": "live",
    f"{PCI}/nvme/nvme0/numa_node": "0",
    f"{DISK}/ro": "0",
    f"{DISK}/stat": STILL,
    f"{DISK}/removable": "0",
    f"{DISK}/queue/logical_block_size": "512",
    f"{DISK}/queue/rotational": "0",
    f"{CPU}/online": "0-1",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu1/cpufreq/scaling_governor": "performance",
    f"{CPU}/cpu0/node0/cpulist": "0",
    f"{CPU}/cpu1/node0/cpulist": "0",
    f"{NODE}/online": "0-1",
    f"{NODE}/node0/distance": "10 21",
    f"{NODE}/node1/distance": "21 10",
    f"{POWER}/AC/type": "Mains",
    f"{POWER}/AC/online": "1",
    f"{POWER}/BAT0/type": "Battery",
    f"{POWER}/BAT0/status": "Full",
}


class Machine(Rig):
    """A loop device in memory that this machine takes for an NVMe drive; `change` replaces files of
    FILES. Good for what the program reads of a machine. The drive's counters stand still.
    """

    programs = ("unshare", "mount")

    def __init__(self, change: dict[str, str] | None = None, *, size: int = 16 << 20):
        self.change = change or {}
        self.size = size

    @classmethod
    def lacks(cls) -> str | None:
        return Loop.why_not()

    def up(self) -> None:
        self.dev = self.use(Loop(self.size, ram=True)).dev
        self.sys = self.folder("sys")
        number = device_number(self.dev)
        files = {f"{DISK}/dev": number, f"{DISK}/size": str(self.size // 512)}
        for name, text in (FILES | files | self.change).items():
            self.put(name, text)
        for link in ("class/block/nvme0n1", f"dev/block/{number}"):
            self.link(link, f"../../{DISK}")
        self.link(f"{DISK}/device", "..")

    def put(self, name: str, text: str) -> None:
        path = self.sys / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")

    def link(self, name: str, to: str) -> None:
        path = self.sys / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(to)

    def wrap(self, argv: Sequence[str | Path]) -> list[str]:
        return over({self.sys: "/sys"}, argv)


def over(mounts: dict[Path, str], argv: Sequence[str | Path]) -> list[str]:
    """The command that runs argv with files or folders of ours in place of the system's."""
    binds = "".join(f"mount --bind '{ours}' '{place}' && " for ours, place in mounts.items())
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c",
            binds + 'exec "$@"', "sh", *map(str, argv)]  # fmt: skip
