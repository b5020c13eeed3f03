# PCIe MLC card, 1.2 TB, of 2012: the SSD of document 000
kind = ssd
size = 1200GB
op = 28%
channels = 9
dies = 4
planes = 2
page_size = 16k
block_pages = 256
flash_read = 46300ns
flash_program = 1165us
flash_erase = 3ms
variation = 4%
suspend = 20us
channel_rate = 339MB
link_rate = 2399MB
stream_rate = 380MB
command_time = 50ns
read_latency = 5400ns
write_latency = 9us
# The card acknowledges from a buffer that capacitors protect.
cache = 4m
cache_volatile = 0
rated_cycles = 5000
