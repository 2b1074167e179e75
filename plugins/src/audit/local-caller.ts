import { userInfo } from 'node:os'
import type { Caller } from '@svc/core'

/** Who uses this process: the user that the system knows. @param from such as `command line` */
export const localCaller = (from: string): Caller => ({ who: `local ${userName()}`, from })

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown') // a user without a name, as in containers
  }
}
