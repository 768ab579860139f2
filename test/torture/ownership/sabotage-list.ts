/**
 * What several processes on one database rely on, one condition after the other: where it stands, what it becomes without it, and the test that has to
 * see that (sabotages.ts). The one thing to know: `from` is in its file once.
 */
import { of, type Sabotage } from "./sabotage.ts"
import { DEADLINE } from "./sabotages-of-deadlines.ts"

const OWNER = "test/integration/store/owner"
const ORDER_WRITER = "test/integration/store/order-writer.test.ts"
const LEDGER = "test/integration/ledger/ledger.test.ts"
const FORWARD = "test/integration/cluster/forward.test.ts"
const FORWARDER = "test/unit/cluster/forwarder.test.ts"
const ASKS = ["test/property/cluster/cable-faults.test.ts", "end once each; run once at most"] as const
const ACTOR = "test/unit/actors/account/actor.test.ts"
const SUBMIT = "test/unit/venues/worker/submit-answer.test.ts"
const MIRRORS = "test/unit/ws/mirrors.test.ts"
const NODES = "test/integration/gateway/running/edges.test.ts"
const PROCESSES = "test/integration/auth/two-processes.test.ts"

const TAKES_OVER = [`${OWNER}/lease.test.ts`, "takes over from one that does not renew any more"] as const
const IS_TAKEN = [`${OWNER}/lease.test.ts`, "is taken at once where the owner's session has ended"] as const
const COUNTS = [`${OWNER}/lease.test.ts`, "counts its lease from when it asked"] as const
const LEASE = of(
  "fence",
  "src/store/postgres/lease.ts",
  {
    without: "the epoch of a batch of orders",
    from: "WHERE node_id = $1 AND epoch = $2 FOR KEY SHARE",
    to: "WHERE node_id = $1 AND $2::bigint > 0 FOR KEY SHARE",
    test: [ORDER_WRITER, "settles nothing and says so once another owner has raised the epoch"],
  },
  {
    without: "the hold of a batch on its row",
    from: " AND epoch = $2 FOR KEY SHARE",
    to: " AND epoch = $2",
    test: [`${OWNER}/lease.test.ts`, "renews beside a batch in flight of orders"],
  },
  {
    without: "the epoch of a session of the pool",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source
    from: " AND epoch = ${epoch}) AS is_owner",
    to: " AND epoch > 0) AS is_owner",
    test: TAKES_OVER,
  },
  {
    without: "the end of the sessions of an owner whose lease is over",
    from: `  yield* endingSessions(Number(ended["epoch"]))\n`,
    to: "",
    test: TAKES_OVER,
  },
  {
    without: "the end of older sessions at a grant",
    from: "  yield { text: enterSession(nodeId, epoch), values: [] }\n  yield* endingSessions(epoch)\n",
    to: "  yield { text: enterSession(nodeId, epoch), values: [] }\n",
    test: IS_TAKEN,
  },
  {
    without: "the end of older sessions where a node begins",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source
    from: ", ${joined})`, values: [] }\n  yield* endingSessions(epoch)\n",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source
    to: ", ${joined})`, values: [] }\n",
    test: [`${OWNER}/cluster.test.ts`, "goes to the next where its owner's own session is lost"],
  },
  {
    without: "the end of other nodes' epochs at a grant",
    from: "UPDATE gateway_node SET epoch = nextval('gateway_epoch'), until = '-infinity', owns = false WHERE node_id <> $1 AND owns",
    to: "UPDATE gateway_node SET until = '-infinity', owns = false WHERE node_id <> $1 AND owns",
    test: [`${OWNER}/cluster.test.ts`, "goes to the next where its owner's own session is lost"],
  },
  {
    without: "the end of the lease before a take-over",
    from: "WHERE until < clock_timestamp() AND epoch IN",
    to: "WHERE epoch IN",
    test: [`${OWNER}/lease.test.ts`, "refuses a second process in one line while the first renews"],
  },
  {
    without: "the end of the lease before a name is taken",
    from: "    WHERE n.until IS NULL OR n.until < clock_timestamp()\n",
    to: "",
    test: [`${OWNER}/cluster.test.ts`, "refuses a second process of the same name"],
  },
  {
    without: "the epoch of a node that is granted",
    from: "    WHERE node_id = $1 AND epoch = $2 RETURNING epoch)",
    to: "    WHERE node_id = $1 AND $2::bigint > 0 RETURNING epoch)",
    test: [`${OWNER}/cluster.test.ts`, "is granted to no process whose name has become another's"],
  },
  {
    without: "the epoch of a renewal",
    from: "  WHERE node_id = $1 AND epoch = $2 RETURNING epoch`",
    to: "  WHERE node_id = $1 AND $2::bigint > 0 RETURNING epoch`",
    test: IS_TAKEN,
  },
)

const LEDGER_BATCH = of(
  "fence",
  "src/store/migrations/0043_owner_lease.sql",
  {
    without: "the epoch of a batch of the ledger",
    from: "$held$epoch = (batch ->> 'epoch')::bigint FOR KEY SHARE;$held$",
    to: "$held$epoch > 0 FOR KEY SHARE;$held$",
    test: [LEDGER, "writes nothing once another process owns the database"],
  },
  {
    without: "the hold of a batch of the ledger on its row",
    from: "$held$epoch = (batch ->> 'epoch')::bigint FOR KEY SHARE;$held$",
    to: "$held$epoch = (batch ->> 'epoch')::bigint;$held$",
    test: [`${OWNER}/lease.test.ts`, "renews beside a batch in flight of the ledger"],
  },
)

const KEEPER = of(
  "fence",
  "src/store/postgres/keeper-thread.ts",
  {
    without: "the end with the session that owns",
    from: `  client.once("end", () => lost("the session that owns the database was lost"))\n`,
    to: "",
    test: [`${OWNER}/cluster.test.ts`, "is not relied upon any more once its session is lost"],
  },
  {
    without: "the beat of the loop before a renewal",
    from: "if (loopBeats()) await within(renew(), ANSWER_MILLIS)",
    to: "await within(renew(), ANSWER_MILLIS)",
    test: [`${OWNER}/cluster.test.ts`, "neither renews nor takes the ownership while the loop"],
  },
  {
    without: "the moment of the question, from which a node counts its lease",
    from: "if (isOfNow) learn(renewed(lease, askedAt, ours.length > 0, terms))",
    to: "if (isOfNow) learn(renewed(lease, monotonic(), ours.length > 0, terms))",
    test: [`${OWNER}/cluster.test.ts`, "keeps the name of a node whose server answers late each time"],
  },
)

const SEQUENCES = [
  ...of("sequences", "src/store/orders/order-batch.ts", {
    without: "the end of a batch at a number that is taken",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source
    from: "${rowsOf(EVENT_COLUMNS, first, size, { many: manyEvents(first) })})`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the source
    to: "${rowsOf(EVENT_COLUMNS, first, size, { many: manyEvents(first) })} ON CONFLICT DO NOTHING)`",
    test: [ORDER_WRITER, "refuses a unit whose number another writer of its epoch has taken"],
  }),
  ...of(
    "sequences",
    "src/store/orders/order-writer.ts",
    {
      without: "the numbers that are in the database as an owner begins",
      from: `lastSequence: Number(row["last_sequence"]),`,
      to: "lastSequence: 0,",
      test: [ORDER_WRITER, "refuses a unit whose number another writer of its epoch has taken"],
    },
    {
      without: "the look for a batch whose answer was lost",
      from: "    if (isThere) return committed(entries, batch)\n",
      to: "",
      test: [ORDER_WRITER, "takes a batch that was committed before the answer was lost as its own"],
    },
  ),
]

const ONCE = [
  ...of(
    "once",
    "src/cluster/cable.ts",
    {
      without: "the memory of what was read",
      from: " || !this.seen.add(from, id, deadline, now)) return",
      to: ") return",
      test: ASKS,
    },
    {
      without: "the difference of what has left and what has not",
      from: `this.settle(id, frame === 0 ? { _tag: "NotTaken", reason: "late" } : { _tag: "Unanswered" })`,
      to: `this.settle(id, { _tag: "NotTaken", reason: "late" })`,
      test: ASKS,
    },
  ),
  ...of("once", "src/http/forward/forwarder.ts", {
    without: "the difference of reads and changes as the owner changes",
    from: "if (one.errand.isRead) this.ask(one)",
    to: "if (one.isOut) this.ask(one)",
    test: [FORWARDER, "hears the last words of the node before"],
  }),
]

const SIGNED = [
  ...of(
    "signed",
    "src/venues/worker/session/departures.ts",
    {
      without: "the time of an order as it is signed",
      from: "if (left !== null && left < 0)",
      to: "if (left !== null && left < -1e9)",
      test: [SUBMIT, "is not signed after its time, in a batch either"],
    },
    {
      without: "the lease as an order is signed",
      from: `  if (!isOurs()) throw new TooLate("the lease of this gateway on its database had run out")\n`,
      to: "  isOurs()\n",
      test: [SUBMIT, "nor is one of a process whose lease on the database has run out"],
    },
    {
      without: "the second look at what was signed ahead",
      from: "        checkMayLeave(work!, isOurs)\n        gate.hasLeft = true\n",
      to: "        gate.hasLeft = true\n",
      test: ["test/unit/venues/worker/prepared-submit.test.ts", "lets nothing pass once the process does not own"],
    },
  ),
  ...of("signed", "src/venues/worker/work.ts", {
    without: "the two seconds by the clock that nobody sets",
    from: `purpose === "submit" ? Math.min(left, SUBMIT_MILLIS_MAX) : left`,
    to: `left + (purpose === "submit" ? 1e9 : 0)`,
    test: [SUBMIT, "nor is one whose time is over by the clock that nobody sets"],
  }),
  ...of("signed", "src/venues/worker/connector.ts", {
    without: "the time of a change",
    from: "void ordering(order, to.notAfter, () =>",
    to: "void ordering(order, Date.now() + 60_000, () =>",
    test: ["test/integration/venues/okx/okx-terms.test.ts", "is not amended after its time"],
  }),
  ...of(
    "signed",
    "src/store/postgres/lease.ts",
    {
      without: "the margin before the end of a lease",
      from: "  until: askedAt + millis - marginMillis,",
      to: "  until: askedAt + millis - 0 * marginMillis,",
      test: COUNTS,
    },
    {
      without: "the end of a lease",
      from: `lease._tag === "Held" && at < lease.until`,
      to: `lease._tag === "Held" && at !== lease.until + 0.5`,
      test: COUNTS,
    },
  ),
  ...of("signed", "src/store/postgres/node.ts", {
    without: "the moment of the question, from which a process counts its lease",
    from: "learn(renewed(lease, at, rows.length > 0, terms))",
    to: "learn(renewed(lease, monotonic(), rows.length > 0, terms))",
    test: COUNTS,
  }),
  ...of("signed", "src/actors/account/orders/submit.ts", {
    without: "the time of an order whose commit is late",
    from: "const isLate = now > (order.notAfter ?? 0) || monotonic - knownAt > NOT_AFTER_MILLIS",
    to: "const isLate = now > (order.notAfter ?? 0) + 1e9 || monotonic - knownAt > NOT_AFTER_MILLIS + 1e9",
    test: [ACTOR, "never sends an order whose commit came too late"],
  }),
]

const READERS = [
  ...of(
    "readers",
    "src/ws/mirrors/mirror.ts",
    {
      without: "the ask at a gap",
      from: "if (publication.offset > this.at!.offset + 1) return this.miss()\n",
      to: "",
      test: ["test/property/ws/mirrors.test.ts", "each reader gets one publication after the other"],
    },
    {
      without: "the look of each second",
      from: "    this.parts.figures.repairs++\n    if (ended !== null && epoch !== null) this.hold(",
      to: "    if (ended === null) return\n    if (ended !== null && epoch !== null) this.hold(",
      test: [MIRRORS, "find out within a second that the last word was lost"],
    },
    {
      without: "the word to start over",
      from: "    this.parts.hub.recall(this.channel)\n",
      to: "",
      test: [MIRRORS, "tell readers to start over when what was lost is not there any more"],
    },
    {
      without: "the term of a word",
      from: "if (this.isOver || word.term !== this.parts.term()) return",
      to: "if (this.isOver) return",
      test: [MIRRORS, "take nothing from an owner that has lost the database"],
    },
    {
      without: "the ask after a doubt",
      from: "    if (this.isOver) return\n    this.isInDoubt = true\n    const owner",
      to: "    if (this.isOver || this.at !== undefined) return\n    this.isInDoubt = true\n    const owner",
      test: ["test/property/ws/mirrors.test.ts", "each reader gets one publication after the other"],
    },
  ),
  ...of("readers", "src/ws/fanout/replays.ts", {
    without: "the one reading for all who come back",
    from: "    if (this.reading !== undefined || this.wants.length === 0) return\n",
    to: "    if (this.wants.length === 0) return\n",
    test: [
      "test/unit/ws/storm-mirrors.test.ts",
      "mirrors have what they missed, though to read it takes longer than an ask",
    ],
  }),
]

const DRAIN = [
  ...of("drain", "src/composition/shutdown.ts", {
    without: "the listener that passes on",
    from: "    if (handOver === undefined) server.stopAccepting()\n    else handOver()\n",
    to: "    server.stopAccepting()\n",
    test: [NODES, "are replaced one by one, and refuse nothing"],
  }),
  ...of("drain", "src/composition/node.ts", {
    without: "the end of what runs before the release",
    from: "        const isWhole = yield* started.drain\n",
    to: "        yield* link.node.leave\n        const isWhole = yield* started.drain\n",
    test: [NODES, "are replaced one by one, and refuse nothing"],
  }),
  ...of("drain", "src/http/forward/forwarder.ts", {
    without: "the hold of what was not taken",
    from: "return one.isOut ? undefined : this.hold(one)",
    to: "return one.isOut ? undefined : this.giveUp(one)",
    test: [FORWARD, "holds what no node has taken"],
  }),
  ...of("drain", "src/composition/crowd.ts", {
    without: "the hold for an owner that is behind",
    from: `return now - beganAt < HELD_MILLIS ? "held" : "lasting"`,
    to: `return "lasting"`,
    test: ["test/integration/gateway/running/held-orders.test.ts", "has orders wait at the owner and at the edge"],
  }),
  ...of("drain", "src/ports/cable.ts", {
    without: "the last words of the node before",
    from: "const LAST_WORDS_MILLIS = 250",
    to: "const LAST_WORDS_MILLIS = 0",
    test: [FORWARDER, "hears the last words of the node before"],
  }),
  ...of("drain", "deploy/cluster/haproxy.cfg", {
    without: "connections to nodes that are one client's",
    from: "  http-reuse never\n",
    to: "",
    test: ["test/integration/cluster/proxy-lines.test.ts", "keeps a connection to a node for one client"],
  }),
]

const BAN = [
  ...of("ban", "src/store/users/user-changes.ts", {
    without: "news that were committed after later ones",
    from: "            horizon = rows[0]?.horizon ?? horizon\n",
    to: "            horizon = String(BigInt(rows[0]?.horizon ?? horizon) + 1n)\n",
    test: [PROCESSES, "are told once to each reader, those too that were committed after later ones"],
  }),
  ...of("ban", "src/auth/session/follow-news.ts", {
    without: "the look at what was heard",
    from: "      const heard = yield* news.read\n",
    to: "      const heard = { ...(yield* news.read), users: new Set<never>() }\n",
    test: [PROCESSES, "reach every process: an end of sessions and a list of addresses"],
  }),
  ...of("ban", "src/ws/mirrors/gate.ts", {
    without: "the word of an end to the sockets of other nodes, and the look of each second",
    from: "      if (this.known.delete(speaker)) this.tell(speaker, true)\n",
    to: "      this.known.has(speaker)\n",
    test: ["test/integration/ws/edges.test.ts", "ends with the session"],
  }),
]

export const SABOTAGES: ReadonlyArray<Sabotage> = [
  ...LEASE,
  ...LEDGER_BATCH,
  ...KEEPER,
  ...SEQUENCES,
  ...ONCE,
  ...SIGNED,
  ...DEADLINE,
  ...READERS,
  ...DRAIN,
  ...BAN,
]
