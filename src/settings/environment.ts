/**
 * The environment read variable by variable: each reader takes a name, and throws one clear line for an invalid value. Secrets may be files
 * (Docker and systemd provide them that way): `NAME_FILE` is then the path of a file whose trimmed text is the value. Values never appear in a
 * message.
 */
import { readFileSync } from "node:fs"
import { TENANT_NAME } from "../domain/ids.ts"

/** A setting that cannot be used; the message names the variable and what it takes. */
export class InvalidSetting extends Error {
  override readonly name = "InvalidSetting"
}

export type Environment = Readonly<Record<string, string | undefined>>

export const text = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? null : value
}

/** As the command line takes tenants: the name stands in channels and in the names of markets. */
export const tenantName = (env: Environment, name: string, fallback: string): string => {
  const value = text(env, name) ?? fallback
  if (!new RegExp(`^${TENANT_NAME}$`).test(value))
    throw new InvalidSetting(
      `${name} must be 1 to 64 letters, digits, ".", "_" or "-", a letter or digit first, not "${value}"`,
    )
  return value
}

export const integer = (env: Environment, name: string, fallback: number, min: number, max: number): number => {
  const value = text(env, name)
  if (value === null) return fallback
  const n = Number(value)
  if (!Number.isInteger(n) || n < min || n > max)
    throw new InvalidSetting(`${name} must be an integer from ${min} to ${max}, not "${value}"`)
  return n
}

export const flag = (env: Environment, name: string, fallback: boolean): boolean => {
  const value = text(env, name)
  if (value === null) return fallback
  if (value === "true" || value === "1") return true
  if (value === "false" || value === "0") return false
  throw new InvalidSetting(`${name} must be true or false, not "${value}"`)
}

export const choice = <const A extends string>(
  env: Environment,
  name: string,
  choices: ReadonlyArray<A>,
  fallback: A,
): A => {
  const value = text(env, name)
  if (value === null) return fallback
  const found = choices.find((c) => c === value)
  if (found === undefined) throw new InvalidSetting(`${name} must be one of ${choices.join(", ")}, not "${value}"`)
  return found
}

export const list = (env: Environment, name: string): ReadonlyArray<string> =>
  (text(env, name) ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** A JSON object, or the name of a file that holds one after an `@`. */
export const object = (env: Environment, name: string): Readonly<Record<string, unknown>> | null => {
  const value = text(env, name)
  if (value === null) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(value.startsWith("@") ? readFileSync(value.slice(1), "utf8") : value)
  } catch {
    throw new InvalidSetting(`${name} must be a JSON object`)
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed))
    throw new InvalidSetting(`${name} must be a JSON object`)
  return parsed as Readonly<Record<string, unknown>>
}

/** A JSON object of strings. */
export const record = (env: Environment, name: string): Readonly<Record<string, string>> | null => {
  const parsed = object(env, name)
  for (const [key, item] of Object.entries(parsed ?? {}))
    if (typeof item !== "string") throw new InvalidSetting(`${name}: "${key}" must be a string`)
  return parsed as Readonly<Record<string, string>> | null
}

/** Each may be given as a file. */
export const SECRETS = [
  "DATABASE_URL",
  "DATABASE_PASSWORD",
  "SMTP_URL",
  "SIGNING_KEY",
  "ENCRYPTION_KEYS",
  "CURSOR_KEY",
  "OTLP_HEADERS",
  "NATS_URL",
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
    if (text(env, name) !== null) throw new InvalidSetting(`${name} and ${name}_FILE: set only one of them`)
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
  if (url === null || !URL.canParse(url)) throw new InvalidSetting("DATABASE_PASSWORD requires DATABASE_URL")
  const whole = new URL(url)
  if (whole.password !== "") throw new InvalidSetting("DATABASE_PASSWORD: DATABASE_URL already has a password")
  whole.password = encodeURIComponent(password)
  return whole.href
}
