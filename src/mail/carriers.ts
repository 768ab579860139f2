/**
 * The two transports of mail: an SMTP server, or a folder of `.eml` files if none is configured. The one thing to know: a mail has the same
 * Message-ID and date at every attempt, so that a duplicate can be recognised.
 */
import { mkdirSync } from "node:fs"
import { open, rename } from "node:fs/promises"
import { join } from "node:path"
import { createTransport } from "nodemailer"
import { isLoopback } from "../foundation/network.ts"

export interface Mail {
  readonly mailId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly createdAt: number
}

/** The mail is refused permanently: retries are pointless. */
export class MailRefused extends Error {
  override readonly name = "MailRefused"
}

export interface Carrier {
  /** Rejects with MailRefused, or with anything that may pass. */
  readonly deliver: (mail: Mail) => Promise<void>
  readonly close: () => void
}

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, which must succeed unless the server is on this machine. */
  readonly secure: boolean
  readonly user: string | null
  readonly password: string | null
}

/** No mail of ours names a file or a URL, and none may make nodemailer read one. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const

const messageOf = (mail: Mail, from: string) => ({
  from,
  to: { name: "", address: mail.to },
  subject: mail.subject,
  text: mail.text,
  date: new Date(mail.createdAt),
  messageId: `<${mail.mailId}@${/@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "localhost"}>`,
  // Automatic, so that no absence note answers it (RFC 3834).
  headers: { "Auto-Submitted": "auto-generated" },
})

/** The server's no, by its own code and step; its words may repeat the address and are left out. */
const failureOf = (error: unknown): Error => {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  const words = [code, responseCode].filter((word) => typeof word === "string" || typeof word === "number").join(" ")
  const text = words === "" ? "the mail could not be handed over" : words
  // Of this mail (recipient, contents). A wrong password or sender is our configuration, which may be mended.
  const isFinal =
    (code === "EENVELOPE" || code === "EMESSAGE") && typeof responseCode === "number" && responseCode >= 500
  return isFinal ? new MailRefused(text) : new Error(text)
}

export const smtpCarrier = (smtp: SmtpSettings, from: string): Carrier => {
  const isLocal = isLoopback(smtp.host)
  const transport = createTransport({
    ...CLOSED,
    pool: true,
    maxConnections: 4,
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure,
    requireTLS: !smtp.secure && !isLocal,
    ignoreTLS: !smtp.secure && isLocal,
    ...(smtp.user === null ? {} : { auth: { user: smtp.user, pass: smtp.password ?? "" } }),
    tls: { minVersion: "TLSv1.2" },
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 10_000,
    dnsTimeout: 5_000,
  })
  return {
    deliver: async (mail) => {
      try {
        await transport.sendMail(messageOf(mail, from))
      } catch (error) {
        throw failureOf(error)
      }
    },
    close: () => transport.close(),
  }
}

/** One file per mail, whole or not there; the same mail again replaces its file. Only the gateway's user may read them. */
export const folderCarrier = (folder: string, from: string): Carrier => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const transport = createTransport({ ...CLOSED, streamTransport: true, buffer: true, newline: "windows" })
  return {
    deliver: async (mail) => {
      const { message } = await transport.sendMail(messageOf(mail, from))
      const path = join(folder, `${mail.mailId}.eml`)
      const file = await open(`${path}.part`, "w", 0o600)
      try {
        await file.writeFile(message as Buffer)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.part`, path)
    },
    close: () => transport.close(),
  }
}
