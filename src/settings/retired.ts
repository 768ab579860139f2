/** Settings of earlier versions that do nothing any more: given, they are named at the start, with what is there instead. */
import { type Environment, text } from "./environment.ts"

const INSTEAD: Readonly<Record<string, string>> = {
  BOOTSTRAP_ADMIN_EMAIL:
    "the first admin signs up with the setupToken of the ready line, or is granted the right with: gateway-admin grant EMAIL admin",
}

/** A sentence for each that is given. */
export const retired = (env: Environment): ReadonlyArray<string> =>
  Object.entries(INSTEAD).flatMap(([name, instead]) =>
    text(env, name) === null ? [] : [`${name} is no longer supported: ${instead}`],
  )
