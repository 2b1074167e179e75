import { readOwnRecord, writeOwnRecord } from '@svc/core/config'

/** In the person's own folder, readable by them alone. */
export const LOGINS_FILE = 'mcp-logins.json'

/** Forgets the logins of a server, whatever its addresses were. @returns whether there were any */
export async function forgetLogins(userDir: string, name: string): Promise<boolean> {
  const isIts = (key: string): boolean => key.startsWith(`${name} `)
  if (!Object.keys(readLogins(userDir)).some(isIts)) return false
  await writeOwnRecord(userDir, LOGINS_FILE, () => ({
    version: 1,
    logins: Object.fromEntries(Object.entries(readLogins(userDir)).filter(([key]) => !isIts(key))),
  }))
  return true
}

/** By name and address of a server. */
export function readLogins(userDir: string): Record<string, object> {
  const logins = readOwnRecord(userDir, LOGINS_FILE)?.logins
  return typeof logins === 'object' && logins !== null ? (logins as Record<string, object>) : {}
}
