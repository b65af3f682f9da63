# The chain of W1 and W3 for ns-2, so that both simulators are given the same work.
#
#   ns parking_lot.tcl NODES SECONDS SEED
#
# NODES nodes in a row, 622 Mb/s and 0.1 ms between neighbours, a drop-tail
# queue of 200 packets in front of every link. All nodes but the last send
# 1000-byte packets to the last one, as fast as a link is; intervals vary by
# half of their length either way. Nothing is traced, and packets carry only the
# headers that the work needs, which is how ns-2 is at its fastest. Prints the
# bytes that arrived.

lassign $argv nodes seconds seed
set capacity 622000000
set last [expr {$nodes - 1}]

remove-all-packet-headers
add-packet-header IP RTP

set sim [new Simulator]
$sim use-scheduler Calendar
ns-random $seed

for {set k 0} {$k < $nodes} {incr k} {
    set node($k) [$sim node]
}
for {set k 0} {$k < $last} {incr k} {
    set next [expr {$k + 1}]
    $sim duplex-link $node($k) $node($next) $capacity 0.1ms DropTail
    $sim queue-limit $node($k) $node($next) 200
}

for {set k 0} {$k < $last} {incr k} {
    set sender [new Agent/UDP]
    $sender set packetSize_ 1000
    $sender set fid_ $k
    set receiver($k) [new Agent/LossMonitor]
    $sim attach-agent $node($k) $sender
    $sim attach-agent $node($last) $receiver($k)
    $sim connect $sender $receiver($k)

    set source [new Application/Traffic/CBR]
    $source set packetSize_ 1000
    $source set rate_ $capacity
    $source set random_ 1
    $source attach-agent $sender
    $sim at [expr {$k * 1e-5}] "$source start"
}

proc report {} {
    global receiver last
    set bytes 0
    for {set k 0} {$k < $last} {incr k} {
        set bytes [expr {$bytes + [$receiver($k) set bytes_]}]
    }
    puts $bytes
    exit 0
}
$sim at $seconds report
$sim run
