/**
 * How the tests run: four files at a time on two cores, because files with gateways wait for much of theirs. Where nothing is left
 * behind, one file follows the other in the same process, and else each has a process of its own: to read Effect and our modules takes a
 * second of processor time. Processes and not threads: uWebSockets.js aborts the whole process when a thread ends with open sockets.
 *
 * The generated code of proto/ is brought up to date first (test/kit/protocol-code.ts).
 *
 * The one thing to know: test/unit, test/property and test/tidy.test.ts run without a database; everything else gets one
 * embedded PostgreSQL per run (test/kit/postgres.ts), started only when such a file is among those asked for.
 */
import { readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const withoutDatabase = ["test/unit/**/*.test.ts", "test/property/**/*.test.ts", "test/tidy.test.ts"]

const filesWith = (pattern: RegExp, ...folders: ReadonlyArray<string>): Array<string> =>
  folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith(".test.ts") && pattern.test(readFileSync(path, "utf8")))

/**
 * Each gets a process of its own: they put something in the place of a module, which must not have been loaded before, or change the
 * environment of the process.
 */
const replacing = filesWith(/\bvi\.(mock|doMock|stubEnv)\(/, "test/unit", "test/property")

/**
 * What lasts beyond a file: a module or a variable of the environment is replaced, or a whole gateway ran in the test's own process. Spies and
 * timeouts vitest takes back itself.
 */
const LASTING = new RegExp(
  [
    /\bvi\.(?!fn\b|waitFor\b|setConfig\b|spyOn\b|restoreAllMocks\b)/,
    /\bprocess\.env\S* =(?!=)|\bdelete process\.env/,
    /src\/gateway\.ts|gateway-inside|authorization-people|tenant-world/,
  ]
    .map(({ source }) => source)
    .join("|"),
)

/** Servers of the test's own process, which are parts of the gateway. */
const SERVING = /http-server/

/** They start their gateways as processes of their own: one file follows the other where the modules were read before. */
const FROM_OUTSIDE = ["test/integration/gateway", "test/integration/http", "test/integration/ledger", "test/vectors"]

/** Parts of the gateway in the test's own process, which leave nothing behind in it: one file follows the other as well. */
const ROOMS = "accounts auth books clients cluster console mail markets realtime store venues ws"
  .split(" ")
  .map((room) => `test/integration/${room}`)
const PARTS = [...ROOMS, "test/sim", "test/torture", "test/venue-spec"]

const lasting = filesWith(LASTING, ...FROM_OUTSIDE, ...PARTS)
const serving = filesWith(SERVING, ...FROM_OUTSIDE)
const fromOutside = filesWith(/./, ...FROM_OUTSIDE).filter((path) => !lasting.includes(path) && !serving.includes(path))
const parts = [...filesWith(/./, ...PARTS), ...serving].filter((path) => !lasting.includes(path))

const WITH_DATABASE = ["test/kit/protocol-code.ts", "test/kit/shipped-code.ts", "test/kit/postgres.ts"]

/** Half a minute each: begun last, one of them alone would decide when a run ends. */
const LONGEST = ["orders/failpoints.test.ts", "orders/kill.test.ts", "sim/sim.test.ts", "orders/binance.test.ts"]

const lengthOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((part) => moduleId.includes(part))
  return place === -1 ? 0 : LONGEST.length - place
}

/** Otherwise the largest file comes first; project by project: only a file of the same one goes on in a process that is there. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const order = ["gateways", "database", "parts", "replacing", "pure"]
    const placeOf = ({ project }: TestSpecification): number => order.indexOf(project.name)
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b) || lengthOf(b) - lengthOf(a))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    setupFiles: ["test/kit/setup.ts"],
    pool: "forks",
    maxWorkers: 4,
    // Whatever waits has a limit of its own below these: they are for a machine that does ten things at once.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: withoutDatabase,
          exclude: replacing,
          globalSetup: ["test/kit/protocol-code.ts"],
          // One process for file after file: each would spend a second of processor time on reading Effect again.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "replacing", include: replacing, globalSetup: ["test/kit/protocol-code.ts"] },
      },
      {
        extends: true,
        test: {
          name: "database",
          include: ["test/**/*.test.ts"],
          exclude: [...withoutDatabase, ...fromOutside, ...parts],
          globalSetup: WITH_DATABASE,
        },
      },
      {
        extends: true,
        test: {
          name: "parts",
          include: parts,
          globalSetup: WITH_DATABASE,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "gateways",
          include: fromOutside,
          globalSetup: WITH_DATABASE,
          isolate: false,
        },
      },
    ],
  },
})
