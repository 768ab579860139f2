/**
 * The code of a connector's threads as the run's bundle has it (test/kit/bundled-code.ts): a thread of the sources takes its code through tsx.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const bundle = process.env["TEST_BUNDLE"]

/** None while vitest watches: then the sources change after the bundle was made. */
export const THREAD_CODE = bundle === undefined ? undefined : `${pathToFileURL(join(bundle, "worker")).href}/`
