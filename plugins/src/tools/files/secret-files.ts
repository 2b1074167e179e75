import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { PolicyError } from '@svc/core'

/** Keys of servers, as they are named. They are nobody's to read but the person's own programs. */
const secrets = new Set<string>()

/** Names files that no tool reads or writes, and no program in the sandbox sees, by whatever name. */
export function addSecretFiles(paths: Iterable<string>): void {
  for (const path of paths) secrets.add(path)
}

/** Those that are there, with links resolved. */
export const findSecretFiles = (): { real: string; names: number }[] =>
  [...secrets].flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ real: realpathSync(path), names: stats.nlink }]
  })

/** Whether a path with its links resolved is the name of one, there or not. */
export const isSecretFile = (real: string): boolean =>
  [...secrets].some((path) => {
    if (path === real) return true
    const found = lstatSync(path, { throwIfNoEntry: false })
    // Without a link at its end it keeps its last name.
    const mayBe = found?.isSymbolicLink() === true || (found !== undefined && basename(path) === basename(real))
    return mayBe && realpathSync(path) === real
  })

/**
 * @param file open
 * @throws PolicyError `policy_denied` where it is one by another name
 */
export async function assertNoSecret(file: {
  stat(options: { bigint: true }): Promise<{ dev: bigint; ino: bigint }>
}): Promise<void> {
  for (const path of secrets) {
    const secret = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (secret === undefined || secret.nlink === 1n) continue
    const { dev, ino } = await file.stat({ bigint: true })
    if (dev === secret.dev && ino === secret.ino) throw secretFile(path)
  }
}

/** The refusal of one. */
export const secretFile = (name: string): PolicyError =>
  new PolicyError('policy_denied', `${JSON.stringify(name)} holds a key of a server, which no tool reads or writes`)
