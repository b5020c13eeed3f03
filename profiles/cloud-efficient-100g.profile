# "Efficient" cloud disk of 100 GiB: document 002
kind = cloud
size = 100g
iops_base = 1800
iops_per_gib = 8
iops_max = 5000
bytes_base = 100m
bytes_per_gib = 157286   # 0.15 MiB
bytes_max = 140m
read_latency = 240us
write_latency = 1150us
jitter = 50us
