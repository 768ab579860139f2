/** Mails from the outbox to a real SMTP server, and to files: each arrives, whatever stands in its way, and what it said is forgotten. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer } from "smtp-server"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Letter } from "../../../src/domain/user/letter.ts"
import { type Carrier, folderCarrier, smtpCarrier } from "../../../src/mail/carriers.ts"
import { startPostman } from "../../../src/mail/postman.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { Transactions } from "../../../src/store/postgres/transactions.ts"
import { type ClaimedMail, MailOutbox } from "../../../src/store/users/mail-outbox.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import { query } from "../store/account-store-rig.ts"

const database = withTestDatabase()
const layerOf = (url: string) =>
  Layer.merge(MailOutbox.Default, Transactions.Default).pipe(Layer.provide(sqlLayer(url)))
let runtime: ManagedRuntime.ManagedRuntime<MailOutbox | Transactions, unknown>
beforeAll(async () => {
  runtime = ManagedRuntime.make(layerOf(database().url))
  await query(database().url, "INSERT INTO encryption_key VALUES ('k1', 0)")
})
const scopes: Array<Scope.CloseableScope> = []
afterEach(async () => {
  for (const scope of scopes.splice(0)) await runtime.runPromise(Scope.close(scope, Exit.void))
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(resolve))
})
afterAll(() => runtime.dispose())
const run = <A, E>(effect: Effect.Effect<A, E, MailOutbox | Transactions>): Promise<A> => runtime.runPromise(effect)

const FROM = "Gateway <no-reply@gateway.example>"
const servers: Array<SMTPServer> = []

/** What a server says to the n-th recipient: null takes it. */
type Verdict = (nth: number) => { readonly code: number; readonly words: string } | null

const smtpServer = async (verdict: Verdict = () => null) => {
  const mails: Array<Email> = []
  let recipients = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, callback) => {
      const no = verdict(++recipients)
      callback(no === null ? null : Object.assign(new Error(no.words), { responseCode: no.code }))
    },
    onData: (stream, _session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push(mail)
          callback(null)
        })
      })
    },
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.server.address() as AddressInfo
  const carrier = smtpCarrier({ host: "127.0.0.1", port, secure: false, user: null, password: null }, FROM)
  return { mails, carrier, recipients: () => recipients }
}

interface Content {
  readonly to: string
  readonly letter: Letter
}

const write = async (letter: Letter, changes: { readonly expiresAt?: number } = {}): Promise<string> => {
  const mailId = randomUUID()
  const envelope: Content = { to: "ada@example.com", letter }
  const createdAt = Date.now()
  const mail = { mailId, kind: letter._tag, envelope, createdAt, expiresAt: createdAt + 3_600_000, ...changes }
  await run(Effect.flatMap(MailOutbox, (outbox) => outbox.insert(mail, "k1")))
  return mailId
}

const post = async (carrier: Carrier, later = 0) => {
  const scope = await run(Scope.make())
  scopes.push(scope)
  const notices: Array<unknown> = []
  await run(
    Effect.gen(function* () {
      yield* startPostman({
        outbox: yield* MailOutbox,
        carrier,
        open: (mail: ClaimedMail) => mail.envelope as Content,
        appUrl: null,
        now: () => Date.now() + later,
        notice: (what, fields) => notices.push([what, fields]),
        firstPauseMillis: 20,
      })
    }).pipe(Scope.extend(scope)),
  )
  return { notices, stop: () => run(Scope.close(scope, Exit.void)) }
}

const rowOf = async (mailId: string) => {
  const [row] = await query(
    database().adminUrl,
    `SELECT attempts, envelope, kid, sent_at IS NOT NULL AS sent, failed_at IS NOT NULL AS failed, last_error
     FROM mail_outbox WHERE mail_id = '${mailId}'`,
  )
  return row as Readonly<Record<string, unknown>> | undefined
}

const TOKEN = "a-token-that-opens-the-account"

describe("a mail in the outbox", () => {
  it("reaches the SMTP server as it was meant, and its contents are forgotten", async () => {
    const { mails, carrier } = await smtpServer()
    const mailId = await write({ _tag: "Recovery", token: TOKEN })
    await post(carrier)
    await until("the mail to be marked as sent", async () => (await rowOf(mailId))?.["sent"] === true)
    expect(mails.length).toBe(1)
    const [mail] = mails
    expect(mail?.to).toMatchObject([{ address: "ada@example.com" }])
    expect(mail?.from).toMatchObject({ address: "no-reply@gateway.example", name: "Gateway" })
    expect(mail?.messageId).toBe(`<${mailId}@gateway.example>`)
    expect(mail?.text).toContain(TOKEN)
    expect(await rowOf(mailId)).toMatchObject({ attempts: 1, envelope: null, kid: null, last_error: null })
  })

  it("is tried again while the server says later, then arrives once", async () => {
    const { mails, carrier } = await smtpServer((nth) => (nth < 4 ? { code: 451, words: "later" } : null))
    const mailId = await write({ _tag: "PasswordChanged" })
    const { notices } = await post(carrier)
    await until("the mail to be marked as sent", async () => (await rowOf(mailId))?.["sent"] === true)
    expect(mails.map(({ messageId }) => messageId)).toEqual([`<${mailId}@gateway.example>`])
    expect(await rowOf(mailId)).toMatchObject({ attempts: 4 })
    expect(notices.length, "the operator is told, and not each time").toBe(1)
    expect(JSON.stringify(notices)).not.toContain("ada@example.com")
  })

  it("is given up when the server refuses it for good, and its contents are forgotten too", async () => {
    const { mails, carrier, recipients } = await smtpServer(() => ({ code: 550, words: "no <ada@example.com> here" }))
    const mailId = await write({ _tag: "Recovery", token: TOKEN })
    await post(carrier)
    await until("the mail to be given up", async () => (await rowOf(mailId))?.["failed"] === true)
    expect([mails.length, recipients()]).toEqual([0, 1])
    expect(await rowOf(mailId)).toMatchObject({ envelope: null, last_error: "EENVELOPE 550" })
  })

  it("waits for a server that is not there", async () => {
    const gone = await smtpServer()
    await new Promise<void>((resolve) => servers.pop()?.close(resolve))
    const mailId = await write({ _tag: "PasswordChanged" })
    const first = await post(gone.carrier)
    await until("a second try", async () => Number((await rowOf(mailId))?.["attempts"]) >= 2)
    await first.stop()
    const { mails, carrier } = await smtpServer()
    // Once it is in nobody's hands: the first may have been stopped with it in its own.
    await post(carrier, 61_000)
    await until("the mail to be marked as sent", async () => (await rowOf(mailId))?.["sent"] === true)
    expect(mails.length).toBe(1)
  })

  it("outlives a gateway that dies while it is handed over", async () => {
    const dead: Carrier = { deliver: () => new Promise(() => {}), close: () => {} }
    const mailId = await write({ _tag: "PasswordChanged" })
    await post(dead)
    await until("the mail to be claimed", async () => (await rowOf(mailId))?.["attempts"] === 1)
    const { mails, carrier } = await smtpServer()
    await post(carrier, 61_000)
    await until("the mail to be marked as sent", async () => (await rowOf(mailId))?.["sent"] === true)
    expect(mails.length).toBe(1)
  })

  it("is not sent when nobody wants it any more", async () => {
    const { mails, carrier } = await smtpServer()
    const late = await write({ _tag: "Recovery", token: TOKEN }, { expiresAt: Date.now() - 1 })
    await post(carrier)
    await until("the mail to be given up", async () => (await rowOf(late))?.["failed"] === true)
    expect(mails).toEqual([])
    expect(await rowOf(late)).toMatchObject({ envelope: null, last_error: "expired" })
  })

  it("does not exist when the change that wrote it was taken back", async () => {
    const mailId = randomUUID()
    const mail = { mailId, kind: "Recovery", envelope: {}, createdAt: Date.now(), expiresAt: Date.now() + 1_000 }
    const outcome = await run(
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const { all } = yield* Transactions
        return yield* Effect.either(all(Effect.zipRight(outbox.insert(mail, "k1"), Effect.fail("taken back" as const))))
      }),
    )
    expect(outcome).toMatchObject({ left: "taken back" })
    expect(await rowOf(mailId)).toBeUndefined()
  })

  it("becomes a file that only the owner may read, where no server is configured", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outbox-"))
    try {
      const mailId = await write({ _tag: "ConfirmNewEmail", token: TOKEN })
      await post(folderCarrier(folder, FROM))
      await until("the mail to be marked as sent", async () => (await rowOf(mailId))?.["sent"] === true)
      expect(readdirSync(folder)).toEqual([`${mailId}.eml`])
      expect(statSync(join(folder, `${mailId}.eml`)).mode & 0o777).toBe(0o600)
      const mail = await PostalMime.parse(readFileSync(join(folder, `${mailId}.eml`)))
      expect(mail.subject).toBe("Confirm your new e-mail address")
      expect(mail.text).toContain(TOKEN)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
