/**
 * Secrets as files (Docker and systemd hand them over that way): each of these settings may be given as `NAME_FILE`, the path of a
 * file whose trimmed text is the value. What is read never appears in a message.
 */
import { readFileSync } from "node:fs"
import { type Environment, InvalidSetting, text } from "./environment.ts"

/** Each may be given as a file. */
export const SECRETS = [
  "DATABASE_URL",
  "DATABASE_PASSWORD",
  "SMTP_URL",
  "SIGNING_KEY",
  "ENCRYPTION_KEYS",
  "OTLP_HEADERS",
] as const

const fileText = (name: string, path: string): string => {
  let value: string
  try {
    value = readFileSync(path, "utf8").trim()
  } catch (error) {
    throw new InvalidSetting(`${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (value === "") throw new InvalidSetting(`${name}: ${path} is empty`)
  return value
}

/** The environment with the secrets of files in their places; throws InvalidSetting. */
export const withSecretFiles = (env: Environment): Environment => {
  const read: Record<string, string> = {}
  for (const name of SECRETS) {
    const path = text(env, `${name}_FILE`)
    if (path === null) continue
    if (text(env, name) !== null) throw new InvalidSetting(`${name} and ${name}_FILE: set one of them`)
    read[name] = fileText(`${name}_FILE`, path)
  }
  return { ...env, ...read }
}

/** `DATABASE_URL`, with `DATABASE_PASSWORD` in it where that one is given: so the password alone can be a file. */
export const databaseUrl = (env: Environment): string | null => {
  const url = text(env, "DATABASE_URL")
  const password = text(env, "DATABASE_PASSWORD")
  if (url !== null && !/^postgres(ql)?:\/\//.test(url))
    throw new InvalidSetting("DATABASE_URL must start with postgresql://")
  if (password === null) return url
  if (url === null || !URL.canParse(url)) throw new InvalidSetting("DATABASE_PASSWORD needs a DATABASE_URL")
  const whole = new URL(url)
  if (whole.password !== "") throw new InvalidSetting("DATABASE_PASSWORD: DATABASE_URL has a password already")
  whole.password = encodeURIComponent(password)
  return whole.href
}
