/** Which hit of a named place counts. */
import { Effect } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { failpointLive } from "../../src/live.ts"
import { Failpoint } from "../../src/ports/failpoint.ts"

afterEach(() => {
  vi.restoreAllMocks()
  process.removeAllListeners("SIGWINCH")
})

const hitOf = (spec: string) => Effect.runSync(Effect.provide(Failpoint, failpointLive(spec))).hit

const watched = () => vi.spyOn(process, "kill").mockReturnValue(true)

it("dies at the N-th hit of its place, and at no other", () => {
  const kill = watched()
  const hit = hitOf("submit.parsed:2")
  hit("submit.parsed")
  hit("submit.committed")
  expect(kill).not.toHaveBeenCalled()
  hit("submit.parsed")
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGKILL")
})

it("counts from the signal on where it sleeps, and says so", () => {
  const kill = watched()
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true)
  const hit = hitOf("submit.parsed:2:kill:armed")
  for (let n = 0; n < 3; n++) hit("submit.parsed")
  process.emit("SIGWINCH")
  expect(write).toHaveBeenCalledExactlyOnceWith("armed submit.parsed\n")
  hit("submit.parsed")
  expect(kill).not.toHaveBeenCalled()
  hit("submit.parsed")
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGKILL")
})
