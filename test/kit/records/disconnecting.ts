/** The act behind a disconnect as an actor receives it, without a particular user. */
import { type Act, SYSTEM } from "../../../src/domain/user/act.ts"

export const DISCONNECTING: Act = {
  actId: "0192a4f4-1b5c-7a34-9a4e-5f1d2c3b4a59",
  action: "account.disconnect",
  actor: SYSTEM,
  object: null,
}
