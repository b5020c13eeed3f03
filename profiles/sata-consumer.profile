# SATA consumer drive that stalls: document 003's bad one, with intervals of zero and 600 ms
kind = ssd
size = 256GB
op = 7%
channels = 4
dies = 2
planes = 2
page_size = 16k
block_pages = 256
flash_read = 80us
flash_program = 1600us
flash_erase = 5ms
channel_rate = 400MB
link_rate = 530MB
slc_max = 8GB
slc_min = 1GB
slc_program = 300us
# The full SLC cache is folded in large pieces, and nothing else is done meanwhile.
fold = 80m
gc_burst = 1
cache = 8m
read_latency = 60us
write_latency = 25us
flush_latency = 1ms
ambient = 35000
heat = 40
rated_cycles = 1000
