/** Who goes on in which turn: a clock that is moved by hand, the turns of the real event loop. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, it } from "vitest"
import { type Newcomer, Pace } from "../../../src/ws/connection/pace.ts"

/** Each command takes 1 ms of a clock that nothing else moves. */
const crowd = () => {
  const clock = { now: 0 }
  const played: Array<string> = []
  const pace = new Pace(() => clock.now)
  const comer = (name: string, commands: number) => {
    let left = commands
    const newcomer: Newcomer = {
      goOn: () => {
        while (left > 0 && pace.admits(newcomer)) {
          left--
          clock.now++
          played.push(name)
        }
      },
    }
    return newcomer
  }
  return { pace, comer, played, clock }
}

it("plays a few newcomers as they come", () => {
  const { pace, comer, played } = crowd()
  for (const name of ["a", "b", "c"]) comer(name, 1).goOn()
  expect(played.join("")).toBe("abc")
  expect(pace.stats()).toEqual({ waiting: 0, deferrals: 0 })
})

it("lets those beyond a turn's time wait for the next one, in the order in which they came", async () => {
  const { pace, comer, played } = crowd()
  const turns: Array<string> = []
  for (const name of "abcdefghij") comer(name, 1).goOn()
  while (pace.stats().waiting > 0) {
    turns.push(played.splice(0).join(""))
    await nextTurn()
  }
  turns.push(played.join(""))
  expect(turns).toEqual(["abcd", "efgh", "ij"])
})

it("takes half of what all else took of a turn, so that those who wait are not kept for longer where turns are long", async () => {
  const { pace, comer, played, clock } = crowd()
  const turns: Array<number> = []
  for (let n = 0; n < 200; n++) comer("x", 1).goOn()
  while (pace.stats().waiting > 0) {
    turns.push(played.splice(0).length)
    clock.now += 120
    await nextTurn()
  }
  expect([...turns, played.length]).toEqual([4, 62, 60, 60, 14])
})

it("sends one that asks for much to the back", async () => {
  const { pace, comer, played } = crowd()
  comer("much", 6).goOn()
  comer("little", 1).goOn()
  while (pace.stats().waiting > 0) await nextTurn()
  expect(played).toEqual(["much", "much", "much", "much", "much", "much", "little"])
  comer("much", 10).goOn()
  comer("little", 1).goOn()
  while (pace.stats().waiting > 0) await nextTurn()
  expect(played.slice(7).lastIndexOf("much")).toBeGreaterThan(played.slice(7).indexOf("little"))
})

it("gives nobody who comes later a place before those who wait", async () => {
  const { pace, comer, played } = crowd()
  for (const name of "abcdef") comer(name, 1).goOn()
  await nextTurn()
  comer("late", 1).goOn()
  while (pace.stats().waiting > 0) await nextTurn()
  expect(played).toEqual(["a", "b", "c", "d", "e", "f", "late"])
})

it("lets those who have had their turn and waited for storage go before those who have had none", async () => {
  const { pace, comer, played, clock } = crowd()
  for (const name of "abcdef") comer(name, 1).goOn()
  for (const name of "xyz")
    pace.inTurn(() => {
      clock.now++
      played.push(name)
    })
  while (pace.stats().waiting > 0) await nextTurn()
  expect(played.join("")).toBe("abcdxyzef")
})

it("forgets who is gone, and everybody when it is stopped", async () => {
  const { pace, comer, played } = crowd()
  const comers = [..."abcdefgh"].map((name) => comer(name, 1))
  for (const each of comers) each.goOn()
  pace.leave(comers[4]!)
  await nextTurn()
  expect(played.join("")).toBe("abcdfgh")
  for (const name of "ijklmn") comer(name, 1).goOn()
  pace.stop()
  await nextTurn()
  expect(pace.stats().waiting).toBe(0)
  expect(played.join("")).toBe("abcdfghijkl")
})
