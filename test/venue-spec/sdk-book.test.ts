/** Some checkpoints of a recorded day at the client's book, through cuts of the line. `npm run torture -- sdk-book` plays the day whole. */
import { expect, it } from "vitest"
import { runSdkBook } from "../torture/clients/sdk-book.ts"
import { hasDays, readDays } from "../torture/oracle/recorded-day.ts"

if (!hasDays) console.info("skipped: the recorded captures are not beside the repository")

it.skipIf(!hasDays)(
  "the client's book is the venue's at recorded checkpoints, in JSON and Protobuf, and every cut is told",
  async () => {
    const { days, remove } = await readDays(["20240808"])
    try {
      const recorded = days[0]!
      // The first of its frames: the day is played at its own pace.
      const frames = recorded.frames.slice(0, 300)
      const facts = await runSdkBook({
        recorded: { ...recorded, frames },
        cuts: 3,
        checkpoints: 8,
        built: undefined,
        progress: () => undefined,
      })
      expect(facts).toMatchObject({ checkpoints: 8, cuts: 3, compared: 16, differences: [], untold: [], gaps: 0 })
      expect(facts.told.CUT).toBe(6)
    } finally {
      await remove()
    }
  },
)
