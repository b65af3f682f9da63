# One TCP flow over one link for ns-2: the peer of the scenario one-reno.toml.
#
#   ns one_reno.tcl SECONDS WARMUP
#
# 100 Mb/s and 1 ms, then 10 Mb/s and 23 ms with a drop-tail queue of 62 packets,
# then 100 Mb/s and 1 ms: a round trip of 50 ms, which holds 62.5 packets of 1000
# bytes. Reno without end; each segment acknowledged at once, by 40 bytes; a
# receive window of 2000 packets, which never matters.
#
# Prints JSON: Mb/s acknowledged from WARMUP on, packets dropped in all, when the first was
# dropped, and the times of all halvings of the window with its size before and after.

lassign $argv seconds warmup

remove-all-packet-headers
add-packet-header IP TCP Flags
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 2000
Agent/TCP set windowInit_ 2

set sim [new Simulator]
foreach name {from near far to} {
    set $name [$sim node]
}
$sim duplex-link $from $near 100Mb 1ms DropTail
$sim duplex-link $near $far 10Mb 23ms DropTail
$sim duplex-link $far $to 100Mb 1ms DropTail
$sim queue-limit $from $near 5000
$sim queue-limit $near $far 62
$sim queue-limit $far $near 5000

set sender [new Agent/TCP/Reno]
set receiver [new Agent/TCPSink]
$sim attach-agent $from $sender
$sim attach-agent $to $receiver
$sim connect $sender $receiver
set source [new Application/FTP]
$source attach-agent $sender
set monitor [$sim monitor-queue $near $far "" 0.1]

set first -1
set window 0
set drops {}
proc look {} {
    global sim sender monitor first window drops
    if {$first < 0 && [$monitor set pdrops_] > 0} {
        set first [$sim now]
    }
    set now [$sender set cwnd_]
    # Each cut of the window, by its size before; what follows at once is the same cut.
    if {$now < 0.9 * $window} {
        lappend drops "\[[$sim now], $window\]"
    }
    set window $now
    $sim at [expr {[$sim now] + 0.01}] look
}

proc report {} {
    global sender monitor first drops acknowledged seconds warmup
    set mbps [expr {([$sender set ack_] + 1 - $acknowledged) * 8e-3 / ($seconds - $warmup)}]
    puts "{\"rate_mbps\": $mbps, \"dropped\": [$monitor set pdrops_], \"first_drop_s\": $first, \"cuts\": \[[join $drops {, }]\]}"
    exit 0
}

$sim at 0.0 look
$sim at 0.0 "$source start"
$sim at $warmup {set acknowledged [expr {[$sender set ack_] + 1}]}
$sim at $seconds report
$sim run
