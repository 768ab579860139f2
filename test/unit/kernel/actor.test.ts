/** The kernel's promises: nobody is left waiting, one writer, restart from the store, parking. Time is run by hand. */
import { Effect, Fiber, Logger, LogLevel } from "effect"
import { describe, expect, it } from "vitest"
import type { Reply } from "../../../src/domain/reply.ts"
import { type Actor, create, live } from "../../../src/kernel/actor.ts"
import type { Built, Self } from "../../../src/kernel/behaviour.ts"
import * as Registry from "../../../src/kernel/registry.ts"
import { SimTime } from "../../sim/time.ts"

type Message =
  | { readonly _tag: "Add"; readonly amount: number; readonly reply: Reply<number, string> }
  | { readonly _tag: "Commit"; readonly reply: Reply<number, string> }
  | { readonly _tag: "Poison"; readonly reply?: Reply<never, string> }
  | { readonly _tag: "Report"; readonly amount: number }

class Bench {
  readonly time = new SimTime(0)
  readonly heard: Array<string> = []
  readonly units: Array<(outcome: string) => void> = []
  readonly built: Array<Self<never>> = []
  stored = 0
  readonly actor: Actor<Message>
  readonly fiber: Fiber.RuntimeFiber<never>

  constructor(isIdle: () => boolean = () => true) {
    this.actor = this.make(isIdle)
    this.fiber = this.run(live(this.actor, () => this.time.now))
    this.time.settle()
  }

  make(isIdle: () => boolean): Actor<Message> {
    const behaviour = (self: Self<never>): Effect.Effect<Built<Message>> =>
      Effect.sync(() => {
        this.built.push(self)
        let sum = this.stored
        return {
          isIdle,
          handlers: {
            Add: ({ amount, reply }) => {
              sum += amount
              reply.ok(sum)
            },
            Report: ({ amount }) => {
              sum += amount
            },
            Commit: ({ reply }) => {
              const taken = sum
              this.units.push(
                self.settling<string>(
                  () => {
                    this.stored = taken
                    reply.ok(taken)
                  },
                  (outcome) => this.heard.push(`dead: ${outcome}`),
                ),
              )
            },
            Poison: () => {
              throw new Error("poison")
            },
          },
        }
      })
    return create<Message, string>({
      name: "bench",
      behaviour,
      refusable: (message) => message._tag === "Add",
      answers: { busy: () => "busy", lost: () => "lost", parked: () => "parked", ended: () => "ended" },
      monotonic: () => this.time.now,
      onParked: () => this.heard.push("parked"),
    })
  }

  run<A, E>(effect: Effect.Effect<A, E>): Fiber.RuntimeFiber<A, E> {
    return Effect.runFork(effect.pipe(Effect.withClock(this.time.clock), Logger.withMinimumLogLevel(LogLevel.None)), {
      scheduler: this.time,
    })
  }

  reply(name: string): Reply<number, string> {
    return {
      ok: (answer) => void this.heard.push(`${name}: ${answer}`),
      fail: (error) => void this.heard.push(`${name}! ${error}`),
    }
  }

  add(name: string, amount = 1): void {
    this.actor.post({ _tag: "Add", amount, reply: this.reply(name) })
  }
}

describe("an actor", () => {
  it("takes a burst in order", () => {
    const bench = new Bench()
    for (const name of ["a", "b", "c"]) bench.add(name)
    bench.time.settle()
    expect(bench.heard).toEqual(["a: 1", "b: 2", "c: 3"])
  })

  it("answers a message once, whatever the handler does", () => {
    const bench = new Bench()
    bench.actor.post({ _tag: "Commit", reply: bench.reply("first") })
    bench.time.settle()
    bench.units[0]!("ok")
    bench.run(Fiber.interrupt(bench.fiber))
    bench.time.settle()
    expect(bench.heard).toEqual(["first: 0"])
  })

  it("refuses the 257th waiting command and never a report", () => {
    const bench = new Bench()
    for (let i = 0; i < 257; i++) bench.add(`n${i}`)
    for (let i = 0; i < 300; i++) bench.actor.post({ _tag: "Report", amount: 1 })
    expect(bench.heard).toEqual(["n256! busy"])
    bench.time.settle()
    bench.add("last")
    bench.time.settle()
    expect(bench.heard.at(-1)).toBe(`last: ${256 + 300 + 1}`)
  })

  it("runs the outcome of a unit before the mail that waits", () => {
    const bench = new Bench()
    bench.actor.post({ _tag: "Commit", reply: bench.reply("unit") })
    bench.time.settle()
    bench.add("mail")
    bench.units[0]!("ok")
    bench.time.settle()
    expect(bench.heard).toEqual(["unit: 0", "mail: 1"])
  })

  it("leaves nobody waiting when it ends", () => {
    const bench = new Bench()
    bench.actor.post({ _tag: "Commit", reply: bench.reply("taken") })
    bench.time.settle()
    bench.run(Fiber.interrupt(bench.fiber))
    bench.add("waiting")
    bench.time.settle()
    bench.add("late")
    expect([...bench.heard].sort()).toEqual(["late! ended", "taken! lost", "waiting! ended"].sort())
  })

  it("starts again from the store after a defect, keeps its mail, and waits for the units of the dead", () => {
    const bench = new Bench()
    bench.stored = 10
    bench.actor.post({ _tag: "Commit", reply: bench.reply("unit") })
    bench.time.settle()
    bench.actor.post({ _tag: "Poison", reply: bench.reply("poison") })
    bench.add("kept")
    bench.time.settle()
    bench.time.advance(5_000)
    expect(bench.heard).toEqual(["unit! lost", "poison! lost"])
    expect(bench.built).toHaveLength(1)
    bench.units[0]!("committed")
    bench.time.advance(5_000)
    expect(bench.built).toHaveLength(2)
    expect(bench.heard).toEqual(["unit! lost", "poison! lost", "dead: committed", "kept: 11"])
  })

  it("drops the turns of a dead incarnation", () => {
    const bench = new Bench()
    const turn = bench.built[0]!.turn(() => bench.heard.push("turn"))
    bench.built[0]!.later(60_000, () => bench.heard.push("later"))
    bench.actor.post({ _tag: "Poison" })
    bench.time.advance(1_000)
    turn()
    bench.time.advance(120_000)
    expect(bench.heard).toEqual([])
    expect(bench.actor.restarts()).toBe(1)
  })

  it("dies of a defect in its slow work", () => {
    const bench = new Bench()
    bench.built[0]!.fork(Effect.die("slow"), () => bench.heard.push("done"))
    bench.time.advance(1_000)
    expect(bench.heard).toEqual([])
    expect(bench.built).toHaveLength(2)
  })

  it("interrupts its slow work when it ends, and has no timer and no fiber left", () => {
    const bench = new Bench()
    const [self] = bench.built
    const interrupted = Effect.onInterrupt(Effect.never, () => Effect.sync(() => bench.heard.push("interrupted")))
    self!.fork(interrupted, () => bench.heard.push("done"))
    self!.later(60_000, () => bench.heard.push("later"))
    bench.run(Fiber.interrupt(bench.fiber))
    bench.time.settle()
    self!.fork(
      Effect.sync(() => bench.heard.push("forked")),
      () => undefined,
    )
    self!.later(1_000, () => bench.heard.push("too late"))
    bench.time.advance(120_000)
    expect(bench.heard).toEqual(["interrupted"])
  })

  it("closes what its slow work left open: when told to, when the work fails, and when it ends or begins anew", () => {
    const bench = new Bench()
    const opening = (name: string, then: Effect.Effect<void, string> = Effect.void) =>
      Effect.zipRight(
        Effect.acquireRelease(
          Effect.sync(() => bench.heard.push(`${name} opened`)),
          () => Effect.sync(() => bench.heard.push(`${name} closed`)),
        ),
        then,
      )
    const open = (name: string, then?: Effect.Effect<void, string>): (() => void) =>
      bench.built.at(-1)!.open(opening(name, then), (exit) => bench.heard.push(`${name} ${exit._tag}`))
    const told = (): Array<string> => bench.heard.splice(0)
    const close = open("told")
    expect(told()).toEqual(["told opened", "told Success"])
    close()
    close()
    bench.time.settle()
    expect(told()).toEqual(["told closed"])
    open("failed", Effect.fail("no"))
    bench.time.settle()
    expect(told().sort()).toEqual(["failed Failure", "failed closed", "failed opened"])
    open("dead")
    bench.actor.post({ _tag: "Poison" })
    bench.time.advance(1_000)
    expect(told()).toEqual(["dead opened", "dead Success", "dead closed"])
    open("ended")
    open("working", Effect.never)
    bench.run(Fiber.interrupt(bench.fiber))
    bench.time.settle()
    expect(told().sort()).toEqual(["ended Success", "ended closed", "ended opened", "working closed", "working opened"])
  })

  it("begins anew after a defect of its building, and after one while it is built", () => {
    const bench = new Bench()
    const built: Array<Self<never>> = []
    const made = create<Message, string>({
      name: "slowly built",
      behaviour: (self) =>
        Effect.delay(
          Effect.sync(() => {
            built.push(self)
            if (built.length === 1) throw new Error("while it is built")
            if (built.length === 2) self.turn(() => expect.unreachable())()
            return {
              handlers: { Add: ({ reply }) => reply.ok(7), Report: () => {}, Commit: () => {}, Poison: () => {} },
            }
          }),
          100,
        ),
      refusable: () => false,
      answers: { busy: () => "busy", lost: () => "lost", parked: () => "parked", ended: () => "ended" },
      monotonic: () => bench.time.now,
    })
    bench.run(live(made, () => bench.time.now))
    made.post({ _tag: "Add", amount: 1, reply: bench.reply("kept") })
    bench.time.advance(1_000)
    expect([built.length, made.restarts(), bench.heard]).toEqual([3, 2, ["kept: 7"]])
  })

  it("is parked by five defects within a minute and answers so", () => {
    const bench = new Bench()
    for (let i = 0; i < 5; i++) {
      bench.actor.post({ _tag: "Poison" })
      bench.time.advance(2_000)
    }
    bench.add("after")
    expect([bench.actor.isParked(), bench.heard]).toEqual([true, ["parked", "after! parked"]])
  })

  it("is not parked by five defects over a longer time", () => {
    const bench = new Bench()
    for (let i = 0; i < 5; i++) {
      bench.actor.post({ _tag: "Poison" })
      bench.time.advance(16_000)
    }
    bench.add("after")
    bench.time.settle()
    expect(bench.heard).toEqual(["after: 1"])
  })
})

describe("a registry", () => {
  it("wakes on post, lets idle actors sleep and loses no mail between the two", () => {
    const bench = new Bench()
    let isIdle = false
    let made = 0
    let registry: Registry.Registry<string, Message> | undefined
    bench.run(
      Effect.scoped(
        Effect.gen(function* () {
          registry = yield* Registry.make<string, Message>({
            of: "actors",
            create: () => {
              made++
              return bench.make(() => isIdle)
            },
            idleMillis: 60_000,
            sweepMillis: 10_000,
            monotonic: () => bench.time.now,
          })
          yield* Effect.never
        }),
      ),
    )
    bench.time.settle()
    const add = (name: string): void => registry!.post("one", { _tag: "Add", amount: 1, reply: bench.reply(name) })
    add("first")
    add("second")
    bench.time.settle()
    bench.time.advance(300_000)
    expect(registry!.stats().live).toBe(1)
    isIdle = true
    bench.time.advance(80_000)
    expect(registry!.stats().live).toBe(0)
    add("third")
    bench.time.settle()
    expect(made).toBe(2)
    expect(bench.heard).toEqual(["first: 1", "second: 2", "third: 1"])
  })
})
