/** The mails that a gateway without an SMTP server leaves in its folder, by reader. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import PostalMime from "postal-mime"
import { until } from "./gateway.ts"

export interface ReadMail {
  readonly subject: string
  readonly text: string
  /** Undefined without one. */
  readonly token: string | undefined
}

/** All mails to this address so far, oldest first: their ids are in the order of time. */
export const mailsTo = async (dataDir: string, address: string): Promise<ReadonlyArray<ReadMail>> => {
  const folder = join(dataDir, "outbox")
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".eml")) : []
  const mails = await Promise.all(names.sort().map((name) => PostalMime.parse(readFileSync(join(folder, name)))))
  return mails
    .filter(({ to }) => to?.some((it) => it.address === address))
    .map(({ subject = "", text = "" }) => ({ subject, text, token: /^[A-Za-z0-9_-]{43}$/m.exec(text)?.[0] }))
}

/** The n-th mail to this address with this subject, once it is there. */
export const mailTo = (dataDir: string, address: string, subject: string, nth = 1): Promise<ReadMail> =>
  until(
    `mail ${nth} to ${address}: ${subject}`,
    async () => (await mailsTo(dataDir, address)).filter((mail) => mail.subject === subject)[nth - 1],
  )

/** Its token. */
export const tokenTo = async (dataDir: string, address: string, subject: string, nth = 1): Promise<string> => {
  const { token } = await mailTo(dataDir, address, subject, nth)
  if (token === undefined) throw new Error(`no token in the mail to ${address}: ${subject}`)
  return token
}
