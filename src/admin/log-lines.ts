/**
 * What the command line leaves in the gateway's own logs: each act is a line of `audit.log`, and one of `security.log` where a gateway's
 * would be. The one thing to know: both may be written by a running gateway meanwhile, so a line goes out in one piece, at the end.
 */
import { closeSync, constants, existsSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { type Audit, makeAudit } from "../auth/audit.ts"
import { tellAudited } from "../auth/audited-events.ts"
import { giveToOwner, makePrivateFolder } from "../auth/data-owner.ts"
import { eventLine } from "../domain/log-line.ts"
import type { SecurityLogService } from "../ports/security-log.ts"

/** No link is followed: the folder is the gateway's user's, and this may be root. */
const AT_THE_END = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

const appendTo = (dataDir: string, name: "audit" | "security") => (line: string) => {
  const folder = join(dataDir, "logs")
  makePrivateFolder(dataDir, folder)
  const path = join(folder, `${name}.log`)
  const isNew = !existsSync(path)
  const file = openSync(path, AT_THE_END, 0o600)
  try {
    if (isNew) giveToOwner(dataDir, file)
    writeSync(file, `${line}\n`)
  } finally {
    closeSync(file)
  }
}

export const commandLineAudit = (dataDir: string, now: () => number): Audit => {
  const append = appendTo(dataDir, "security")
  const security: SecurityLogService = {
    tell: (event, level, facts) => append(eventLine(now(), level, "security", { event, ...facts })),
  }
  return makeAudit({
    line: appendTo(dataDir, "audit"),
    // No address of anybody is in these rows.
    secret: Buffer.alloc(0),
    now,
    observe: tellAudited(security),
  })
}
