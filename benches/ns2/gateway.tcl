# One gateway for ns-2: the peer of the scenarios w2b.toml and w2c.toml.
#
#   ns gateway.tcl TRAFFIC QUEUE SEED SECONDS WARMUP OVERHEAD
#
# Ten senders, each behind a link of 100 Mb/s of its own, share a link of 10 Mb/s
# and 5 ms with QUEUE (RED or DropTail) of 200 packets; ten receivers, 100 Mb/s
# and 1 ms behind it. TRAFFIC is
#   tcp   Reno without end; round trips of 20 ms (four), 40 ms and 60 ms (three each)
#   cbr   1.0, 1.2, … 2.8 Mb/s, each interval varied by half of its length either way
# All packets have 1000 bytes on the wire, acknowledgements 40; each segment is
# acknowledged at once; windows and the first slow-start threshold are 64 packets.
# RED: thresholds 30 and 90 packets, weight 0.002, at most 0.1, waiting between
# drops, not gentle. Senders start within the first second. A sender of TCP thinks
# for a random time up to OVERHEAD (in s) before it sends, ns-2's remedy for phases.
#
# Prints JSON: Mb/s that arrived in order from WARMUP on, packets in the queue on
# average (a look every 10 ms from WARMUP on), packets dropped.

lassign $argv traffic law seed seconds warmup overhead

remove-all-packet-headers
add-packet-header IP TCP RTP Flags

Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set gentle_ false
Queue/RED set adaptive_ 0
Queue/RED set thresh_ 30
Queue/RED set maxthresh_ 90
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 10
Queue/RED set mean_pktsize_ 1000
Queue/RED set setbit_ false
Queue/RED set drop_tail_ true
Queue/RED set wait_ true
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 64
Agent/TCP set windowInit_ 2
Agent/TCP set overhead_ $overhead
Agent/TCPSink set packetSize_ 40

set sim [new Simulator]
ns-random $seed
set starts [new RNG]
$starts seed [expr {1000 + $seed}]

set near [$sim node]
set far [$sim node]
$sim simplex-link $near $far 10Mb 5ms $law
$sim simplex-link $far $near 10Mb 5ms DropTail
$sim queue-limit $near $far 200
$sim queue-limit $far $near 1000

proc connect_nodes {a b delay} {
    global sim
    $sim duplex-link $a $b 100Mb $delay DropTail
    $sim queue-limit $a $b 1000
    $sim queue-limit $b $a 1000
}

set delays [expr {$traffic eq "tcp" ? {4 4 4 4 14 14 14 24 24 24} : {1 1 1 1 1 1 1 1 1 1}}]
set flows [llength $delays]
for {set k 0} {$k < $flows} {incr k} {
    set from($k) [$sim node]
    set to($k) [$sim node]
    connect_nodes $from($k) $near [lindex $delays $k]ms
    connect_nodes $far $to($k) 1ms
    if {$traffic eq "tcp"} {
        set sender($k) [new Agent/TCP/Reno]
        set receiver($k) [new Agent/TCPSink]
        set source($k) [new Application/FTP]
    } else {
        set sender($k) [new Agent/UDP]
        $sender($k) set packetSize_ 1000
        set receiver($k) [new Agent/LossMonitor]
        set source($k) [new Application/Traffic/CBR]
        $source($k) set packetSize_ 1000
        $source($k) set rate_ [expr {1.0 + 0.2 * $k}]Mb
        $source($k) set random_ 1
    }
    $sender($k) set fid_ $k
    $sim attach-agent $from($k) $sender($k)
    $sim attach-agent $to($k) $receiver($k)
    $sim connect $sender($k) $receiver($k)
    $source($k) attach-agent $sender($k)
    $sim at [$starts uniform 0.0 1.0] "$source($k) start"
}

# Bytes that have arrived by now, in order where somebody puts them in order.
proc arrived {k} {
    global traffic sender receiver
    if {$traffic eq "tcp"} {
        return [expr {([$sender($k) set ack_] + 1) * 1000.0}]
    }
    return [expr {double([$receiver($k) set bytes_])}]
}

set monitor [$sim monitor-queue $near $far "" 0.1]
set looks 0
set seen 0.0
proc look {} {
    global sim monitor looks seen
    incr looks
    set seen [expr {$seen + [$monitor set pkts_]}]
    $sim at [expr {[$sim now] + 0.01}] look
}

proc begin {} {
    global flows before
    for {set k 0} {$k < $flows} {incr k} {
        set before($k) [arrived $k]
    }
    look
}

proc report {} {
    global flows before seconds warmup looks seen monitor
    set rates {}
    for {set k 0} {$k < $flows} {incr k} {
        lappend rates [format %.5f [expr {([arrived $k] - $before($k)) * 8e-6 / ($seconds - $warmup)}]]
    }
    puts "{\"rates_mbps\": \[[join $rates {, }]\], \"queue_packets\": [expr {$seen / $looks}], \"dropped\": [$monitor set pdrops_]}"
    exit 0
}

$sim at $warmup begin
$sim at $seconds report
$sim run
