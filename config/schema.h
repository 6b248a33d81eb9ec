/* Every configuration key, once: struct fields (config.h), reader (read.c), --help and docs/configuration.md
 * (print.c) all derive from these rows.
 *
 * A row is X(TYPE, key, default, low, high, help).
 *   UINT     whole number low..high                     uint32_t
 *   SEED     whole number low..high                     uint64_t
 *   POW2     power of two low..high                     uint32_t
 *   BOOL     true or false                              bool
 *   PERCENT  number low..high                           double
 *   CHOICE   one word of list `low`                     enum `low`
 *   TEXT     up to high - 1 characters                  char[high]
 *   MAC      "02:00:00:00:00:01"                        struct rn_config_mac
 *   IP4 IP6  one address                                struct rn_config_ip, all zero = none
 *   NETS4 NETS6  ["address/prefix", ...]                struct rn_config_nets
 *   NEIGHS   ({ ip = ...; mac = ...; }, ...)            struct rn_config_neighs
 *   CPUS     [0, 1, ...]                                struct rn_config_cpus
 *   ARGS     ["...", ...]                               struct rn_config_args
 * Lists take up to `high` entries and are empty by default.
 */
#ifndef RN_CONFIG_SCHEMA_H
#define RN_CONFIG_SCHEMA_H

/* clang-format off */

/* ---- words a CHOICE takes: X(NAME, word) ---- */

#define RN_CONFIG_PORT_WORDS(X) \
	X(RING, ring) X(MEMIF, memif) X(AF_PACKET, af_packet) X(NULLDEV, null) X(PCAP, pcap) X(VDEV, vdev)

#define RN_CONFIG_ROLE_WORDS(X) \
	X(SERVER, server) X(CLIENT, client)

#define RN_CONFIG_POLICY_WORDS(X) \
	X(POLL, poll) X(ADAPTIVE, adaptive) X(INLINE, inline)

#define RN_CONFIG_HUGEPAGES_WORDS(X) \
	X(AUTO, auto) X(YES, yes) X(NO, no)

#define RN_CONFIG_LEVEL_WORDS(X) \
	X(ERROR, error) X(WARNING, warning) X(NOTICE, notice) X(INFO, info) X(DEBUG, debug)

#define RN_CONFIG_ALGORITHM_WORDS(X) \
	X(NONE, none) X(DCQCN, dcqcn)

#define RN_CONFIG_WORD_LISTS(X) /* enum rn_config_<list>, words */ \
	X(port,      RN_CONFIG_PORT_WORDS) \
	X(role,      RN_CONFIG_ROLE_WORDS) \
	X(policy,    RN_CONFIG_POLICY_WORDS) \
	X(hugepages, RN_CONFIG_HUGEPAGES_WORDS) \
	X(level,     RN_CONFIG_LEVEL_WORDS) \
	X(algorithm, RN_CONFIG_ALGORITHM_WORDS)

/* ---- sections ---- */

#define RN_CONFIG_ADAPTER_ROWS(X) \
	X(TEXT,   name,         "",  1, 32,  "name of the adapter, unique; required") \
	X(CHOICE, port,         RN_CONFIG_PORT_RING, rn_config_port, 0, "kind of port: what carries the frames") \
	X(TEXT,   peer,         "",  1, 32,  "ring: name of the adapter at the other end; required, mutual") \
	X(TEXT,   socket,       "",  1, 108, "memif: path of the socket, or @name for one without a file; required. Only the same user and root can connect. Trust that peer: it shares memory, and what it writes there can crash this process") \
	X(CHOICE, role,         RN_CONFIG_ROLE_SERVER, rn_config_role, 0, "memif: which side makes the socket; one of each") \
	X(UINT,   id,           0,   0, 65535, "memif: interface number, the same on both sides") \
	X(TEXT,   iface,        "",  1, 16,  "af_packet: kernel interface; required; must not carry the adapter's addresses, and no other adapter may have them on it in the same VLAN, in whatever process") \
	X(TEXT,   rx_pcap,      "",  1, 256, "pcap: file that frames are received from") \
	X(TEXT,   tx_pcap,      "",  1, 256, "pcap: file that sent frames are written to") \
	X(TEXT,   vdev,         "",  1, 256, "vdev: device string as the EAL takes it, such as \"net_tap0,iface=tap0\", or the address of a PCI device, \"0000:01:00.0\"; of the machine's PCI devices those named here are taken, no other; not net_af_packet, which is a kind of port of its own; required") \
	X(MAC,    mac,          "",  0, 0,   "MAC address; default: the port's own, or one made from the name") \
	X(NETS4,  ipv4,         "",  0, 8,   "IPv4 addresses with prefix length") \
	X(NETS6,  ipv6,         "",  0, 8,   "IPv6 addresses with prefix length") \
	X(IP4,    gateway4,     "",  0, 0,   "next hop for IPv4 peers outside every ipv4 prefix") \
	X(IP6,    gateway6,     "",  0, 0,   "next hop for IPv6 peers outside every ipv6 prefix; may be link-local, as routers' are") \
	X(NEIGHS, neighbours,   "",  0, 64,  "static neighbours: ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; }, ...); no ARP or neighbour discovery message of anybody changes them, which is the remedy where hosts on the link are not trusted") \
	X(UINT,   vlan_id,      0,   0, 4094, "VLAN id of every frame; 0 = untagged") \
	X(UINT,   vlan_prio,    0,   0, 7,   "VLAN priority; only with vlan_id") \
	X(UINT,   mtu,          1500, 1500, 9000, "Ethernet payload bytes per frame") \
	X(POW2,   max_path_mtu, 4096, 256, 4096, "largest path MTU offered to peers; mtu may lower it further") \
	X(CPUS,   lcores,       "",  0, 16,  "CPUs that serve the adapter, one shard each; empty = one shard, not pinned") \
	X(UINT,   shards,       0,   0, 16,  "shards, placed on lcores in turn; 0 = one per entry of lcores") \
	X(BOOL,   link_local,   false, 0, 1, "one IPv6 address more: fe80::/64 with an interface id made from the MAC, as Linux does; on af_packet only with mac") \
	X(UINT,   dscp,         0,   0, 63,  "DSCP of connections that ask for no traffic class of their own") \
	X(UINT,   hop_limit,    64,  1, 255, "TTL or hop limit of packets whose sender asks for none")

#define RN_CONFIG_IDLE_ROWS(X) \
	X(CHOICE, policy,       RN_CONFIG_POLICY_ADAPTIVE, rn_config_policy, 0, "poll = spin; adaptive = spin, then sleep; inline = the application's threads do the work") \
	X(UINT,   spin_us,      20,  0, 1000000, "adaptive: microseconds to spin without work before sleeping") \
	X(UINT,   sleep_min_us, 50,  1, 1000000, "adaptive: first sleep on ports that cannot wake a sleeper") \
	X(UINT,   sleep_max_us, 1000, 1, 1000000, "adaptive: longest sleep, reached by doubling; not below sleep_min_us")

#define RN_CONFIG_LIMITS_ROWS(X) \
	X(UINT,   max_qp,       16384, 1, 65536, "queue pairs per shard") \
	X(UINT,   max_cq,       16384, 1, 65536, "completion queues per adapter") \
	X(UINT,   max_srq,      1024, 1, 65536, "shared receive queues per adapter") \
	X(UINT,   max_mr,       1048576, 1, 8388608, "memory regions and windows per adapter; memory is taken as they come") \
	X(UINT,   max_pd,       1024, 1, 65536, "protection domains per adapter") \
	X(UINT,   max_cm,       0, 0, 65536, "connections and listeners per adapter, those that are only asked for too: listeners and up to max_cm_requests requests take room that connectors may want; 0 = one for each queue pair of all shards and 1024 more, but 65536 at most") \
	X(UINT,   max_cm_requests, 0, 0, 65536, "requests to connect, of max_cm, that are not answered or whose answer is not confirmed; one listener gets at most half of it and one peer a third, what comes beyond is refused; 0 = a quarter of max_cm") \
	X(UINT,   max_timewait, 4096, 1, 65536, "closed connections remembered until their QPN may be used again") \
	X(UINT,   max_neigh,    4096, 4, 65536, "neighbours per adapter; a connection keeps its own, so no fewer than there are peers on the link") \
	X(UINT,   max_depth,    16384, 1, 65536, "requests per send or receive queue, shared ones too") \
	X(POW2,   submit_slots, 4096, 64, 65536, "64-byte slots of the submission ring of each shard") \
	X(POW2,   handoff_slots, 1024, 64, 65536, "packets and messages in flight between two shards") \
	X(UINT,   mbufs,        4096, 512, 1048576, "packet buffers per shard") \
	X(UINT,   burst,        32,  1, 256, "packets taken or sent at once") \
	X(POW2,   port_ring,    1024, 64, 16384, "descriptors per receive and transmit queue of a port") \
	X(UINT,   window_packets, 1024, 1, 65536, "upper bound of unacknowledged packets per queue pair") \
	X(UINT,   quota_packets, 16, 1, 1024, "packets one queue pair may send before the next has its turn")

#define RN_CONFIG_TIMERS_ROWS(X) \
	X(UINT,   ack_timeout,  17,  0, 31,  "local ACK timeout code: 4.096 us * 2^code; 0 = never; a peer silent for 8 times that is given up, so longer than a thread waits for a CPU; what a peer proposes counts up to three codes more") \
	X(UINT,   retry_cnt,    7,   0, 7,   "times an unanswered request is sent again") \
	X(UINT,   rnr_retry,    7,   0, 7,   "connections: most times that a request is sent again after receiver-not-ready, whatever the peer announces; 7 = as often as it announces, which may be for ever") \
	X(UINT,   min_rnr_timer, 12, 0, 31,  "code of the delay this side asks for when not ready (12 = 0.64 ms)") \
	X(UINT,   rto_floor_us, 4000, 10, 10000000, "adaptive retransmission: shortest timeout; above what a peer that naps (idle.sleep_max_us) needs to answer") \
	X(UINT,   rto_initial_us, 10000, 10, 10000000, "adaptive retransmission: timeout before the first round trip is known; not below rto_floor_us") \
	X(UINT,   cm_response_ms, 1000, 1, 60000, "connection manager: time to wait for an answer before asking again; Linux waits 4096 ms") \
	X(UINT,   cm_retries,   15,  0, 15,  "connection manager: times a message is sent again") \
	X(UINT,   cm_patience,  24,  0, 31,  "connection manager: code of the time, 4.096 us * 2^code, that a peer is asked for when it repeats itself and the application has not decided; 24 = 69 s") \
	X(UINT,   cm_wait_max_s, 3600, 1, 86400, "connection manager: longest that a peer, by asking for patience again and again, makes this side wait for its answer to a request or a reply; on both sides of a connection it bounds how long an application may think") \
	X(UINT,   close_linger_ms, 0, 0, 60000, "how long a process that had connections still answers its peers after its last adapter is closed, as a kernel would; without it a peer whose copy of our last message was lost asks in vain until it gives up") \
	X(UINT,   neigh_retry_ms, 250, 1, 60000, "address resolution: time between two probes; a neighbour that announces another MAC is asked at the known one first and followed after three such times of silence") \
	X(UINT,   neigh_probes, 10,   2, 100, "address resolution: probes before a neighbour counts as unreachable; two at least, as a neighbour that announces another MAC is asked at the known one before everybody is") \
	X(UINT,   neigh_reachable_ms, 30000, 100, 86400000, "address resolution: how long an answer is trusted")

#define RN_CONFIG_PROTOCOL_ROWS(X) \
	X(SEED,   seed,         0,   0, INT64_MAX, "for tests: seed of memory keys, QPNs, communication ids and transaction ids, which anybody who knows it can compute; 0 = drawn from the kernel at each start; with another, a process that starts again looks like the former one to peers that remember it") \
	X(BOOL,   credits,      false, 0, 1, "end-to-end credits: tell peers how many receives are posted, and hold back SENDs for which a peer has none; off = neither, as most adapters, and a receiver that is not ready says so") \
	X(BOOL,   check_source, true, 0, 1,  "drop packets, and messages of the connection manager, whose addresses are not those of the connection")

/* Names and values of the reaction point as adapters document them; docs/congestion.md explains. */
#define RN_CONFIG_CONGESTION_ROWS(X) \
	X(CHOICE, algorithm,    RN_CONFIG_ALGORITHM_DCQCN, rn_config_algorithm, 0, "what a congestion notification does: none = nothing; dcqcn = limits the rate of its queue pair") \
	X(BOOL,   ecn,          true, 0, 1,  "send packets of connections as ECT(0): switches may mark them instead of dropping them") \
	X(UINT,   cnp_interval_us, 50, 0, 1000000, "at most one notification per queue pair in this time") \
	X(UINT,   cnp_dscp,     48,  0, 63,  "DSCP of notifications") \
	X(UINT,   cnp_802p_prio, 6,  0, 7,   "VLAN priority of notifications, where frames are tagged") \
	X(UINT,   rpg_max_rate, 0,   0, 1000000, "Mb/s at which a limit ends; 0 = the speed the port reports") \
	X(UINT,   rpg_min_rate, 10,   1, 1000000, "Mb/s below which no limit goes") \
	X(UINT,   rpg_ai_rate,  5,   1, 1000000, "Mb/s added per additive increase") \
	X(UINT,   rpg_hai_rate, 50,  1, 1000000, "Mb/s added per hyper increase, times its number") \
	X(UINT,   rpg_time_reset_us, 300, 1, 1000000, "time between two increases by the timer") \
	X(UINT,   rpg_byte_reset, 10000000, 0, 1073741824, "bytes sent between two increases by the byte counter; 0 = none") \
	X(UINT,   rpg_threshold, 1,  1, 31,  "increases of either kind before fast recovery ends") \
	X(UINT,   rpg_gd,       11,  11, 15, "a cut is rate * alpha / 2^this, alpha being 0..1023") \
	X(UINT,   rpg_min_dec_fac, 50, 1, 100, "per cent of the rate that one cut leaves at least") \
	X(UINT,   rate_to_set_on_first_cnp, 0, 0, 1000000, "Mb/s after the first notification; 0 = by the formula") \
	X(UINT,   rate_reduce_monitor_us, 4, 0, 1000000, "at most one cut in this time") \
	X(UINT,   initial_alpha_value, 1023, 1, 1023, "alpha when a limit begins") \
	X(UINT,   dce_tcp_g,    1019, 1, 1023, "of 1024: what alpha keeps per dce_tcp_rtt_us; a notification adds the rest") \
	X(UINT,   dce_tcp_rtt_us, 55, 1, 1000000, "period of alpha") \
	X(BOOL,   clamp_tgt_rate, false, 0, 1, "every cut makes the present rate the target; else only one that follows an increase") \
	X(BOOL,   clamp_tgt_rate_after_time_inc, true, 0, 1, "increases by the timer count for that, not only those by bytes")

#define RN_CONFIG_IMPAIR_ROWS(X) \
	X(PERCENT, loss,        0,   0, 100, "per cent of sent frames that are lost") \
	X(PERCENT, dup,         0,   0, 100, "per cent of sent frames that are sent twice") \
	X(PERCENT, reorder,     0,   0, 100, "per cent of sent frames that are overtaken by later ones") \
	X(PERCENT, corrupt,     0,   0, 100, "per cent of sent frames with a flipped bit") \
	X(PERCENT, tamper,      0,   0, 100, "per cent of sent frames with data in which a bit is flipped under an ICRC that fits") \
	X(UINT,   delay_us,     0,   0, 10000000, "microseconds every sent frame is held back") \
	X(SEED,   seed,         1,   0, INT64_MAX, "seed of the random choices; the same seed makes the same choices")

#define RN_CONFIG_EAL_ROWS(X) \
	X(BOOL,   shared,       false, 0, 1, "memory in hugepage files under a known prefix, so that dpdk-dumpcap can attach") \
	X(CHOICE, hugepages,    RN_CONFIG_HUGEPAGES_AUTO, rn_config_hugepages, 0, "auto = when enough are free; no is the EAL's --no-huge") \
	X(UINT,   memory_mb,    0,   0, 1048576, "memory for packet buffers and tables; 0 = as much as the limits need") \
	X(TEXT,   prefix,       "softrnic", 1, 32, "shared: prefix of the hugepage files") \
	X(ARGS,   args,         "",  0, 16,  "further EAL arguments, as they are")

#define RN_CONFIG_CAPTURE_ROWS(X) \
	X(TEXT,   file,         "",  0, 256, "write every frame to this pcap file, which only its owner may read; empty = no capture; a full disk leaves whole records, and the log says what is missing") \
	X(UINT,   snaplen,      65535, 64, 65535, "bytes kept of each frame")

#define RN_CONFIG_LOG_ROWS(X) \
	X(CHOICE, level,        RN_CONFIG_LEVEL_WARNING, rn_config_level, 0, "least severe message shown on standard error; docs/log.md has all of softrnic's own")

#define RN_CONFIG_SECTIONS(X) /* section, rows, help; `adapters` is a list of groups, the others are groups */ \
	X(idle,     RN_CONFIG_IDLE_ROWS,     "what a shard does without work") \
	X(limits,   RN_CONFIG_LIMITS_ROWS,   "sizes of tables and queues, taken at start") \
	X(timers,   RN_CONFIG_TIMERS_ROWS,   "timeouts and retries") \
	X(protocol, RN_CONFIG_PROTOCOL_ROWS, "behaviour on the wire") \
	X(congestion, RN_CONFIG_CONGESTION_ROWS, "ECN, congestion notifications and how they limit rates") \
	X(impair,   RN_CONFIG_IMPAIR_ROWS,   "faults put into sent frames, for tests") \
	X(eal,      RN_CONFIG_EAL_ROWS,      "DPDK's environment abstraction layer") \
	X(capture,  RN_CONFIG_CAPTURE_ROWS,  "built-in packet capture") \
	X(log,      RN_CONFIG_LOG_ROWS,      "messages")

/* ---- adapter keys that belong to one kind of port: X(key, KIND, required) ---- */

#define RN_CONFIG_PORT_KEYS(X) \
	X(peer,    RING,      true) \
	X(socket,  MEMIF,     true) \
	X(role,    MEMIF,     true) \
	X(id,      MEMIF,     false) \
	X(iface,   AF_PACKET, true) \
	X(rx_pcap, PCAP,      false) \
	X(tx_pcap, PCAP,      false) \
	X(vdev,    VDEV,      true)

/* clang-format on */

#endif
