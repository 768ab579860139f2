/**
 * What the command line writes to the gateway's own logs: each act is a line of `audit.log`, and one of `security.log` where the gateway would
 * write one. The one thing to know: a running gateway may write to both at the same time, so a line is written in one piece, at the end.
 */
import { constants, existsSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { type Audit, makeAudit, tellAudited } from "../auth/audit-log.ts"
import { giveToOwner, makePrivateFolder } from "../auth/keys/key-files.ts"
import { eventLine } from "../foundation/log-line.ts"
import type { SecurityLogService } from "../ports/security-log.ts"

/** No link is followed: the folder is the gateway's user's, and this may be root. */
const AT_THE_END = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

const openLog = (dataDir: string, name: "audit" | "security") => {
  const folder = join(dataDir, "logs")
  makePrivateFolder(dataDir, folder)
  const path = join(folder, `${name}.log`)
  const isNew = !existsSync(path)
  const file = openSync(path, AT_THE_END, 0o600)
  if (isNew) giveToOwner(dataDir, file)
  return (line: string): void => {
    try {
      writeSync(file, `${line}\n`)
    } catch (error) {
      // It is done by now: to call it a failure would be a lie.
      process.stderr.write(
        `gateway admin: done, but not in ${name}.log: ${error instanceof Error ? error.message : error}\n`,
      )
    }
  }
}

/** The logs are open when it returns, until the process ends; throws when they cannot be. */
export const openTrail = (dataDir: string, now: () => number): Audit => {
  const append = openLog(dataDir, "security")
  const security: SecurityLogService = {
    tell: (event, level, facts) => append(eventLine(now(), level, "security", { event, ...facts })),
  }
  return makeAudit({
    line: openLog(dataDir, "audit"),
    // These rows contain no user's address.
    secret: () => Buffer.alloc(0),
    now,
    observe: tellAudited(security),
  })
}
