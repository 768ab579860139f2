/** Settings of mail: the server that carries it, whom it comes from, the page that its links lead to. */
import { type Environment, InvalidSetting, text } from "./environment.ts"

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, which must succeed unless the server is on this machine. */
  readonly secure: boolean
  readonly user: string | null
  readonly password: string | null
}

/** No error repeats the URL: it may have a password in it. */
export const smtpServer = (env: Environment): SmtpServer | null => {
  const given = text(env, "SMTP_URL")
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (
    url === undefined ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === "" ||
    !/^\/?$/.test(url.pathname) ||
    url.search !== ""
  )
    throw new InvalidSetting("SMTP_URL must be like smtp://user:password@mail.example.com:587 (smtp, smtps)")
  const secure = url.protocol === "smtps:"
  const part = (text: string): string | null => {
    try {
      return text === "" ? null : decodeURIComponent(text)
    } catch {
      throw new InvalidSetting("SMTP_URL: a % in its user or password is written %25")
    }
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    user: part(url.username),
    password: part(url.password),
  }
}

export const mailFrom = (env: Environment): string => {
  const given = text(env, "MAIL_FROM") ?? "Venue gateway <no-reply@localhost>"
  if (!/^([^<>"\r\n]{0,100}<[^<>\s@"]+@[A-Za-z0-9.-]+>|[^<>\s@"]+@[A-Za-z0-9.-]+)$/.test(given))
    throw new InvalidSetting('MAIL_FROM must be an address, or like "Gateway <no-reply@example.com>"')
  return given
}

export const appUrl = (env: Environment): string | null => {
  const given = text(env, "APP_URL")
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hash !== "")
    throw new InvalidSetting("APP_URL must be a page's URL without a #, for example https://app.example.com/confirm")
  return given
}
