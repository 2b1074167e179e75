import type { RouteRequest } from '../../../routes/route.ts'
import { refusal } from '../errors.ts'

/** @throws SvcError for a request of another version of the protocol than 1.0; one that names none means 0.3 */
export function assertVersion({ message, query }: Pick<RouteRequest, 'message' | 'query'>): void {
  const inQuery = (query as Record<string, string | undefined> | undefined)?.['A2A-Version']
  const version = [message.headers['a2a-version'] || inQuery || '0.3'].flat().join()
  if (/^1\.0(\.\d{1,9})?$/.test(version)) return
  const why = `A2A ${version.slice(0, 50)} is not spoken here, only 1.0: send the header A2A-Version: 1.0`
  throw refusal('VERSION_NOT_SUPPORTED', why)
}
