/* All configuration keys. The struct fields (config.h), the reader (read.c), the --keys text and
 * docs/configuration.md (print.c) are generated from these rows.
 *
 * A row is X(TYPE, key, default, low, high, help).
 *   UINT     whole number low..high                     uint32_t
 *   SEED     whole number low..high                     uint64_t
 *   POW2     power of two low..high                     uint32_t
 *   POW2_0   0, or power of two low..high               uint32_t
 *   BOOL     true or false                              bool
 *   PERCENT  number low..high                           double
 *   CHOICE   one word; `low` names the list of words    enum that `low` names
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

/* ---- the words of each CHOICE: X(NAME, word) ---- */

#define RN_CONFIG_PORT_WORDS(X) \
	X(RING, ring) X(MEMIF, memif) X(AF_PACKET, af_packet) X(NULLDEV, null) X(PCAP, pcap) X(PCI, pci) X(VDEV, vdev) \
	X(DAEMON, daemon)

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

/* The socket of softrnicd: the same path as RN_DAEMON_SOCKET in rn/daemon.h. */
#define RN_CONFIG_DAEMON_SOCKET "/run/softrnic/softrnicd.sock"

#define RN_CONFIG_WORD_LISTS(X) /* columns: enum name without rn_config_; words of the enum */ \
	X(port,      RN_CONFIG_PORT_WORDS) \
	X(role,      RN_CONFIG_ROLE_WORDS) \
	X(policy,    RN_CONFIG_POLICY_WORDS) \
	X(hugepages, RN_CONFIG_HUGEPAGES_WORDS) \
	X(level,     RN_CONFIG_LEVEL_WORDS) \
	X(algorithm, RN_CONFIG_ALGORITHM_WORDS)

/* ---- sections ---- */

#define RN_CONFIG_ADAPTER_ROWS(X) \
	X(TEXT,   name,         "",  1, 32,  "name of the adapter, unique; required") \
	X(CHOICE, port,         RN_CONFIG_PORT_RING, rn_config_port, 0, "kind of port: what carries the frames. daemon: a port that softrnicd shares among processes, and from which the adapter has its addresses, VLAN and MTU, and the defaults of packets") \
	X(TEXT,   peer,         "",  1, 32,  "ring: name of the adapter at the other end; required, mutual") \
	X(TEXT,   socket,       "",  1, 108, "memif: path of the socket, or @name for an abstract socket without a file; required. Only the same user and root can connect. The peer must be trusted: it shares memory, and bad data there can crash this process. daemon: path of the socket of softrnicd; default: \"" RN_CONFIG_DAEMON_SOCKET "\"") \
	X(CHOICE, role,         RN_CONFIG_ROLE_SERVER, rn_config_role, 0, "memif: the server creates the socket, the client connects to it; required") \
	X(UINT,   daemon_wait_ms, 2000, 0, 60000, "daemon: how long a program that starts waits for a softrnicd that is not there, because it is being restarted, in milliseconds") \
	X(UINT,   id,           0,   0, 65535, "memif: interface number, the same on both sides") \
	X(TEXT,   iface,        "",  1, 16,  "af_packet: kernel interface; required. The interface must not have the adapter's addresses, and no other adapter, in any process, may use them on the same interface and VLAN") \
	X(TEXT,   rx_pcap,      "",  1, 256, "pcap: file from which frames are received") \
	X(TEXT,   tx_pcap,      "",  1, 256, "pcap: file to which sent frames are written") \
	X(TEXT,   pci,          "",  1, 256, "pci: address of a network card, such as \"0000:04:00.0\", which may be followed by driver options, as in \"0000:04:00.0,rxq_cqe_comp_en=0\"; required. softrnic-config --devices lists the cards of this machine and says what is missing. EAL probes no card but those that the configuration names") \
	X(TEXT,   vdev,         "",  1, 256, "vdev: EAL device string of a software port, such as \"net_tap0,iface=tap0\"; required. Not net_af_packet, which is a kind of port of its own, and no PCI address, for which there is port = \"pci\"") \
	X(MAC,    mac,          "",  0, 0,   "MAC address; default: the port's own, or one derived from the name") \
	X(NETS4,  ipv4,         "",  0, 8,   "IPv4 addresses with prefix length") \
	X(NETS6,  ipv6,         "",  0, 8,   "IPv6 addresses with prefix length") \
	X(IP4,    gateway4,     "",  0, 0,   "next hop for IPv4 peers outside every ipv4 prefix") \
	X(IP6,    gateway6,     "",  0, 0,   "next hop for IPv6 peers outside every ipv6 prefix; may be link-local, as routers' are") \
	X(NEIGHS, neighbours,   "",  0, 64,  "static neighbours: ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; }, ...). No ARP or neighbour discovery message can change them, which protects against untrusted hosts on the link") \
	X(UINT,   vlan_id,      0,   0, 4094, "VLAN id of every frame; 0 = untagged") \
	X(UINT,   vlan_prio,    0,   0, 7,   "VLAN priority; only with vlan_id") \
	X(UINT,   mtu,          1500, 1280, 9000, "Ethernet payload bytes per frame") \
	X(POW2,   max_path_mtu, 4096, 256, 4096, "largest path MTU offered to peers; mtu may lower it further") \
	X(CPUS,   lcores,       "",  0, 16,  "CPUs that serve the adapter, one shard each; empty = one shard, not pinned") \
	X(UINT,   shards,       0,   0, 16,  "number of shards, placed on lcores in turn; 0 = one per entry of lcores") \
	X(BOOL,   link_local,   false, 0, 1, "adds an IPv6 address in fe80::/64 with an interface id derived from the MAC, as Linux does; on af_packet only with mac") \
	X(UINT,   dscp,         0,   0, 63,  "DSCP of connections for which the client sets no traffic class") \
	X(UINT,   hop_limit,    64,  1, 255, "TTL or hop limit of packets for which the client sets none")

#define RN_CONFIG_IDLE_ROWS(X) \
	X(CHOICE, policy,       RN_CONFIG_POLICY_ADAPTIVE, rn_config_policy, 0, "poll = spin; adaptive = spin, then sleep; inline = the application's threads do the work") \
	X(UINT,   spin_us,      20,  0, 1000000, "adaptive: microseconds to spin without work before sleeping") \
	X(UINT,   sleep_min_us, 50,  1, 1000000, "adaptive: first sleep on ports that cannot wake a sleeper") \
	X(UINT,   sleep_max_us, 1000, 1, 1000000, "adaptive: longest sleep, reached by doubling; not below sleep_min_us")

#define RN_CONFIG_LIMITS_ROWS(X) \
	X(UINT,   max_qp,       16384, 1, 65536, "queue pairs per shard") \
	X(UINT,   max_cq,       16384, 1, 65536, "completion queues per adapter") \
	X(UINT,   max_srq,      1024, 1, 65536, "shared receive queues per adapter") \
	X(UINT,   max_mr,       1048576, 1, 8388608, "memory regions and windows per adapter; memory for them is allocated when they are created") \
	X(UINT,   max_pd,       1024, 1, 65536, "protection domains per adapter") \
	X(UINT,   max_cm,       0, 0, 65536, "connections and listeners per adapter, connection requests included: listeners and up to max_cm_requests requests may use entries that connectors want; 0 = one for each queue pair of all shards and 1024 more, but at most 65536") \
	X(UINT,   max_cm_requests, 0, 0, 65536, "part of max_cm for connection requests that are unanswered or whose reply is unconfirmed; one listener may use half of it and one peer a third, further requests are rejected; 0 = a quarter of max_cm") \
	X(UINT,   max_timewait, 4096, 1, 65536, "closed connections that are remembered until their QPN may be used again") \
	X(UINT,   max_neigh,    4096, 4, 65536, "neighbours per adapter; each connection keeps its neighbour's entry, so allow one for every peer on the link") \
	X(UINT,   max_depth,    16384, 1, 65536, "requests per send queue, receive queue or shared receive queue") \
	X(POW2,   submit_slots, 4096, 64, 65536, "64-byte slots of the submission ring of each shard") \
	X(POW2,   handoff_slots, 1024, 64, 65536, "packets and messages that can be queued from one shard to another") \
	X(UINT,   mbufs,        4096, 512, 1048576, "packet buffers per shard") \
	X(UINT,   burst,        32,  1, 256, "packets received or sent at once") \
	X(POW2_0, port_ring,    1024, 64, 16384, "descriptors per receive and transmit queue of a port; on devices at most as many as fill a quarter of limits.mbufs; 0 = as many as the driver prefers, or 512 if it prefers none (rings within the process and memif: as the default)") \
	X(UINT,   window_packets, 1024, 1, 65536, "maximum number of unacknowledged packets per queue pair") \
	X(UINT,   quota_packets, 16, 1, 1024, "packets that one queue pair may send before the next queue pair may send") \
	X(UINT,   keep_packets, 2048, 0, 65536, "packets per shard that are kept when they arrive ahead of a lost one, until it has been sent again; a queue pair uses half of them at most. At most a quarter of limits.mbufs hold kept packets. Further packets are copied, 4.2 KiB each. Memory is used for no more packets than were ever kept at the same time. 0 = such packets are dropped, and after a loss this side sends everything from the lost packet on again")

#define RN_CONFIG_TIMERS_ROWS(X) \
	X(UINT,   ack_timeout,  17,  0, 31,  "local ACK timeout code: 4.096 us * 2^code; 0 = never. A connection fails when its peer is silent for 8 times this time, so it must be longer than a thread may wait for a CPU. A value that a peer proposes is limited to three codes more") \
	X(UINT,   retry_cnt,    7,   0, 7,   "connections: how often at most an unacknowledged request is sent again; a connection whose REQ announces fewer retries uses those") \
	X(UINT,   rnr_retry,    7,   0, 7,   "connections: how often at most a request is sent again after receiver-not-ready, whatever the peer announces; 7 = as often as the peer announces, which may be without limit") \
	X(UINT,   min_rnr_timer, 12, 0, 31,  "code of the delay that this side's RNR NAKs ask for (12 = 0.64 ms)") \
	X(UINT,   rto_floor_us, 4000, 10, 10000000, "adaptive retransmission: shortest timeout; must be longer than a sleeping peer (idle.sleep_max_us) needs to reply") \
	X(UINT,   rto_initial_us, 10000, 10, 10000000, "adaptive retransmission: timeout before the first round trip is measured; not below rto_floor_us") \
	X(UINT,   cm_response_ms, 1000, 1, 60000, "connection manager: how long to wait for a reply before a message is sent again; Linux waits 4096 ms") \
	X(UINT,   cm_retries,   15,  0, 15,  "connection manager: how often a message is sent again") \
	X(UINT,   cm_patience,  24,  0, 31,  "connection manager: code of the time, 4.096 us * 2^code, that an MRA asks for when a peer repeats its message and the application has not answered yet; 24 = 69 s") \
	X(UINT,   cm_wait_max_s, 3600, 1, 86400, "connection manager: how long this side waits at most for the answer to a request or reply while the peer keeps asking for more time (MRA); this limits how long the applications on both sides may take to answer") \
	X(UINT,   close_linger_ms, 0, 0, 60000, "how long a process that had connections still replies to its peers after its last adapter is closed, as a kernel would. With 0, a peer that lost the last message of this side repeats its own until its retries run out") \
	X(UINT,   neigh_retry_ms, 250, 1, 60000, "address resolution: time between two probes. When a neighbour announces another MAC, the known MAC is probed first, and the new one is used after three such times without a reply") \
	X(UINT,   neigh_probes, 10,   2, 100, "address resolution: probes before a neighbour counts as unreachable; at least two, because a neighbour that announces another MAC is probed at the known one before the probe is broadcast") \
	X(UINT,   neigh_reachable_ms, 30000, 100, 86400000, "address resolution: how long a resolved address is used before it is probed again")

#define RN_CONFIG_PROTOCOL_ROWS(X) \
	X(SEED,   seed,         0,   0, INT64_MAX, "for tests: seed of memory keys, QPNs, communication ids and transaction ids; whoever knows the seed can compute them. 0 = a random seed from the kernel at each start. With a fixed seed, peers cannot tell a restarted process from the earlier one") \
	X(BOOL,   credits,      false, 0, 1, "end-to-end credits: announce to peers how many receives are posted, and hold SENDs back for which the peer has no receive; false = neither, as with most adapters: a receiver that is not ready sends an RNR NAK") \
	X(BOOL,   check_source, true, 0, 1,  "drop packets, and messages of the connection manager, whose addresses are not those of the connection")

/* Names and values are those of the DCQCN parameters of hardware adapters. docs/congestion.md
 * explains the parameters. */
#define RN_CONFIG_CONGESTION_ROWS(X) \
	X(CHOICE, algorithm,    RN_CONFIG_ALGORITHM_DCQCN, rn_config_algorithm, 0, "effect of a received congestion notification: none = ignored; dcqcn = limits the rate of its queue pair") \
	X(BOOL,   ecn,          true, 0, 1,  "send packets of connections as ECT(0), so that switches may mark them instead of dropping them") \
	X(UINT,   cnp_interval_us, 50, 0, 1000000, "at most one notification per queue pair in this time") \
	X(UINT,   cnp_dscp,     48,  0, 63,  "DSCP of notifications") \
	X(UINT,   cnp_802p_prio, 6,  0, 7,   "VLAN priority of notifications in tagged frames") \
	X(UINT,   rpg_max_rate, 0,   0, 1000000, "rate in Mb/s at which a rate limit is lifted; 0 = the speed that the port reports") \
	X(UINT,   rpg_min_rate, 10,   1, 1000000, "lowest rate limit in Mb/s") \
	X(UINT,   rpg_ai_rate,  5,   1, 1000000, "Mb/s added per additive increase") \
	X(UINT,   rpg_hai_rate, 50,  1, 1000000, "Mb/s added per hyper increase, times the number of that increase") \
	X(UINT,   rpg_time_reset_us, 300, 1, 1000000, "time between two increases by the timer") \
	X(UINT,   rpg_byte_reset, 10000000, 0, 1073741824, "bytes sent between two increases by the byte counter; 0 = no such increases") \
	X(UINT,   rpg_threshold, 1,  1, 31,  "increases of either kind before fast recovery ends") \
	X(UINT,   rpg_gd,       11,  11, 15, "a reduction is rate * alpha / 2^rpg_gd, with alpha 0..1023") \
	X(UINT,   rpg_min_dec_fac, 50, 1, 100, "per cent of the rate that one reduction leaves at least") \
	X(UINT,   rate_to_set_on_first_cnp, 0, 0, 1000000, "rate in Mb/s after the first notification; 0 = computed as after later notifications") \
	X(UINT,   rate_reduce_monitor_us, 4, 0, 1000000, "at most one reduction in this time") \
	X(UINT,   initial_alpha_value, 1023, 1, 1023, "alpha when a rate limit begins") \
	X(UINT,   dce_tcp_g,    1019, 1, 1023, "every dce_tcp_rtt_us alpha is multiplied by dce_tcp_g / 1024; after a notification 1024 - dce_tcp_g is added") \
	X(UINT,   dce_tcp_rtt_us, 55, 1, 1000000, "time between two updates of alpha") \
	X(BOOL,   clamp_tgt_rate, false, 0, 1, "true = every reduction sets the target rate to the current rate; false = only the first reduction after an increase does") \
	X(BOOL,   clamp_tgt_rate_after_time_inc, true, 0, 1, "with clamp_tgt_rate = false: increases by the timer count too, not only those by bytes")

#define RN_CONFIG_IMPAIR_ROWS(X) \
	X(PERCENT, loss,        0,   0, 100, "per cent of sent frames that are dropped") \
	X(PERCENT, dup,         0,   0, 100, "per cent of sent frames that are sent twice") \
	X(PERCENT, reorder,     0,   0, 100, "per cent of sent frames that are overtaken by later ones") \
	X(PERCENT, corrupt,     0,   0, 100, "per cent of sent frames with a flipped bit") \
	X(PERCENT, tamper,      0,   0, 100, "per cent of sent frames with data in which one bit is flipped and the ICRC made to match") \
	X(UINT,   delay_us,     0,   0, 10000000, "delay of every sent frame in microseconds") \
	X(SEED,   seed,         1,   0, INT64_MAX, "seed of the random choices; the same seed makes the same choices")

#define RN_CONFIG_EAL_ROWS(X) \
	X(BOOL,   shared,       false, 0, 1, "place memory in hugepage files with a known prefix, so that dpdk-dumpcap can attach") \
	X(CHOICE, hugepages,    RN_CONFIG_HUGEPAGES_AUTO, rn_config_hugepages, 0, "auto = use hugepages when enough are free, and no port is softrnicd's; no = the EAL's --no-huge") \
	X(UINT,   memory_mb,    0,   0, 1048576, "memory for packet buffers and tables; 0 = as much as the limits need") \
	X(TEXT,   prefix,       "softrnic", 1, 32, "with shared: prefix of the hugepage files") \
	X(ARGS,   args,         "",  0, 16,  "further arguments, passed to the EAL unchanged")

#define RN_CONFIG_CAPTURE_ROWS(X) \
	X(TEXT,   file,         "",  0, 256, "write every frame to this pcap file, which only its owner may read; empty = no capture. If the disk gets full, the file still ends with a whole record, and the log gives the number of missing frames") \
	X(UINT,   snaplen,      65535, 64, 65535, "bytes kept of each frame")

#define RN_CONFIG_LOG_ROWS(X) \
	X(CHOICE, level,        RN_CONFIG_LEVEL_WARNING, rn_config_level, 0, "least severe level of messages written to standard error; docs/log.md lists softrnic's messages")

/* Settings of the program softrnicd; all other programs ignore them. */
#define RN_CONFIG_DAEMON_ROWS(X) \
	X(TEXT,   socket,       RN_CONFIG_DAEMON_SOCKET, 1, 108, "path of the socket at which clients attach") \
	X(TEXT,   group,        "",  0, 32,  "users of this group may attach; empty = only root and the user who runs softrnicd") \
	X(UINT,   clients,      64,  1, 254, "how many processes may be attached at the same time") \
	X(BOOL,   strict,       true, 0, 1,  "true = a client may send data only to queue pairs with which it is connected or that it has announced; false = a client that guesses numbers can disturb connections of other clients") \
	X(UINT,   packets_per_s, 0,  0, 1000000000, "packets that each client may send per second; 0 = no limit") \
	X(UINT,   mbits_per_s,  0,   0, 1000000, "Mb/s that each client may send; 0 = no limit") \
	X(UINT,   max_qp,       0,   0, 65536, "queue pairs of each client; 0 = no limit but the client's own") \
	X(UINT,   connections,  65536, 1024, 1048576, "connections of all clients that the table holds")

/* Each section is one group of keys. `adapters` is not in this table, because `adapters` is a list
 * of groups. */
#define RN_CONFIG_SECTIONS(X) /* columns: section, rows, help */ \
	X(idle,     RN_CONFIG_IDLE_ROWS,     "how a shard waits when it has no work") \
	X(limits,   RN_CONFIG_LIMITS_ROWS,   "sizes of tables and queues, allocated at start") \
	X(timers,   RN_CONFIG_TIMERS_ROWS,   "timeouts and retries") \
	X(protocol, RN_CONFIG_PROTOCOL_ROWS, "behaviour on the wire") \
	X(congestion, RN_CONFIG_CONGESTION_ROWS, "ECN, congestion notifications and how they limit rates") \
	X(impair,   RN_CONFIG_IMPAIR_ROWS,   "faults injected into sent frames, for tests") \
	X(eal,      RN_CONFIG_EAL_ROWS,      "DPDK's environment abstraction layer") \
	X(capture,  RN_CONFIG_CAPTURE_ROWS,  "built-in packet capture") \
	X(log,      RN_CONFIG_LOG_ROWS,      "messages") \
	X(daemon,   RN_CONFIG_DAEMON_ROWS,   "settings of the program softrnicd, which shares the port of its only adapter among processes; other programs ignore them")

/* ---- adapter keys that belong to one kind of port, or to several kinds, with a row for each:
 * X(key, KIND, required) ---- */

#define RN_CONFIG_PORT_KEYS(X) \
	X(peer,    RING,      true) \
	X(socket,  MEMIF,     true) \
	X(role,    MEMIF,     true) \
	X(id,      MEMIF,     false) \
	X(socket,  DAEMON,    false) \
	X(daemon_wait_ms, DAEMON, false) \
	X(iface,   AF_PACKET, true) \
	X(rx_pcap, PCAP,      false) \
	X(tx_pcap, PCAP,      false) \
	X(pci,     PCI,       true) \
	X(vdev,    VDEV,      true)

/* ---- adapter keys that softrnicd decides for port = "daemon": X(key) ---- */

#define RN_CONFIG_DAEMON_DECIDES(X) \
	X(mac) X(ipv4) X(ipv6) X(gateway4) X(gateway6) X(vlan_id) X(vlan_prio) X(mtu) X(max_path_mtu) X(link_local) \
	X(dscp) X(hop_limit)

/* clang-format on */

#endif
