/** What keeps a question between nodes from being done too late, twice, or for nobody: condition after condition, as in sabotage-list.ts. */
import { of } from "./sabotage.ts"

const FORWARD = "test/integration/cluster/forward.test.ts"
const FORWARDER = "test/unit/cluster/forwarder.test.ts"
const ASKS = ["test/property/cluster/cable-faults.test.ts", "end once each; run once at most"] as const
const HELD = "test/integration/cluster/held-calls.test.ts"
const CALLS = "test/unit/cluster/gate-calls.test.ts"
const MIRRORS = "test/unit/ws/mirrors.test.ts"
const GATE = "test/unit/ws/gate.test.ts"

export const DEADLINE = [
  ...of(
    "deadline",
    "src/cluster/cable.ts",
    {
      without: "the look at the deadline",
      from: `    if (deadline <= now) return refuse("late")\n`,
      to: "",
      test: ASKS,
    },
    {
      without: "the lead of the other's clock",
      from: "deadline: deadline + lead!,",
      to: "deadline: deadline + 0 * lead!,",
      test: ASKS,
    },
    {
      without: "the term of an ask",
      from: "if (service === undefined || service.term !== term)",
      to: "if (service === undefined)",
      test: ["test/integration/cluster/cable.test.ts", "gives back what nobody listens to, what is of another term"],
    },
  ),
  ...of(
    "deadline",
    "src/http/forward/peer-call.ts",
    {
      without: "the lease as a request of another node is taken",
      from: `    if (!mayAct()) return "lease"\n`,
      to: "",
      test: [FORWARD, "takes nothing from another node while the lease is over"],
    },
    {
      without: "the end at the owner before the other node's",
      from: "this.around.deadlines.addBefore(this.asked.deadline, this, this.beganAt)",
      to: "this.around.deadlines.addBefore(this.asked.deadline + 60_000, this, this.beganAt)",
      test: [FORWARD, "ends at the owner before its time is over here"],
    },
  ),
  ...of("deadline", "src/ws/mirrors/gate.ts", {
    without: "the lease as a speaker is judged",
    from: `        if (!mayAct()) return "lease"\n`,
    to: "        mayAct()\n",
    test: [GATE, "has nothing judged and nothing done by an owner whose lease is over"],
  }),
  ...of("deadline", "src/ws/mirrors/publisher.ts", {
    without: "the lease as a channel is opened",
    from: `        if (!this.parts.mayAct()) return "lease"\n`,
    to: "",
    test: [MIRRORS, "are answered nothing by an owner whose lease is over"],
  }),
  ...of(
    "deadline",
    "src/http/edge/held-calls.ts",
    {
      without: "the end of what is held with its client",
      from: "      return !call.done\n",
      to: "      return true\n",
      test: [HELD, "lets go of what is held for a client that goes away"],
    },
    {
      without: "the end of what is held with its socket",
      from: "      if (call.isClientGone()) call.abort()\n",
      to: "",
      test: [HELD, "lets go of the calls of a socket that is closed"],
    },
    {
      without: "the time left as a held change begins",
      from: "      if (isTooLate(call.dueAt, now)) return call.fail(refusal())\n",
      to: "",
      test: [HELD, "begins nothing with too little time left"],
    },
  ),
  ...of("deadline", "src/http/forward/forwarder.ts", {
    without: "the time left as a node is asked",
    from: " || isTooLate(errand.deadline, now)",
    to: "",
    test: [FORWARDER, "asks no node for what that would call late"],
  }),
  ...of(
    "deadline",
    "src/ws/mirrors/edge-gate.ts",
    {
      without: "the time left as an owner is asked for a call",
      from: "if (isTooLate(deadline, monotonic()))",
      to: "if (deadline <= monotonic())",
      test: [CALLS, "asks no owner for what that would call late"],
    },
    {
      without: "the end of a call that no owner has with its socket",
      from: "      if (isOver?.() === true) return this.room.leave(from)\n",
      to: "",
      test: [CALLS, "lets go of a call that no owner has"],
    },
  ),
]
