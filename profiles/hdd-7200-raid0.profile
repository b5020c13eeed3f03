# Two 7,200 rpm SATA disks of 1 TB, striped: the hard disks of document 000
kind = hdd
size = 2000GB
members = 2
stripe = 256k
rpm = 7200
outer_rate = 130MB
inner_rate = 65MB
seek_track = 800us
seek_average = 7400us
seek_full = 15ms
settle_write = 500us
queue = 12
write_queue = 40
read_ahead = 1m
link_rate = 300MB
read_latency = 100us
write_latency = 50us
