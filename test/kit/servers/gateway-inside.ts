/** A gateway in the test's own process, for tests that look inside; the scope ends it. */

import type { Gateway } from "../../../src/composition/node.ts"
import { openProcessLog } from "../../../src/composition/options.ts"
import type { Settings } from "../../../src/config.ts"
import { startGateway } from "../../../src/gateway.ts"
import type { Ready } from "./gateway.ts"

export const startInside = (settings: Settings) =>
  startGateway({
    settings,
    log: openProcessLog("error", () => undefined),
    notice: () => undefined,
    told: () => undefined,
    fatal: (reason) => {
      throw new Error(reason)
    },
  })

/** What its ready line would say. */
export const readyOf = ({ listening: { http, ws }, setupToken }: Gateway): Ready => ({
  http,
  ws,
  version: "",
  setupToken: setupToken ?? undefined,
})
