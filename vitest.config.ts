/**
 * How the tests run: one process per test file, two files at a time. Processes and not threads: uWebSockets.js aborts
 * the whole process when a thread ends with open sockets.
 *
 * The generated code of proto/ is brought up to date first (test/kit/protocol-code.ts).
 *
 * The one thing to know: test/unit, test/property and test/tidy.test.ts run without a database; everything else gets one
 * embedded PostgreSQL per run (test/kit/postgres.ts), started only when such a file is among those asked for.
 */
import { defineConfig } from "vitest/config"

const withoutDatabase = ["test/unit/**/*.test.ts", "test/property/**/*.test.ts", "test/tidy.test.ts"]

export default defineConfig({
  test: {
    setupFiles: ["test/kit/setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Whatever waits has a limit of its own below these: they are for a machine that does ten things at once.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 20_000,
    projects: [
      { extends: true, test: { name: "pure", include: withoutDatabase, globalSetup: ["test/kit/protocol-code.ts"] } },
      {
        extends: true,
        test: {
          name: "database",
          include: ["test/**/*.test.ts"],
          exclude: withoutDatabase,
          globalSetup: ["test/kit/protocol-code.ts", "test/kit/shipped-code.ts", "test/kit/postgres.ts"],
        },
      },
    ],
  },
})
