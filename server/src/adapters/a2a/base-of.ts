import type { RouteRequest } from '../../routes/route.ts'

/** The address of this server as the client knows it; a proxy in front of it says whether that begins with https. */
export function baseOf({ message: { headers } }: Pick<RouteRequest, 'message'>): string {
  const isSecure = headers['x-forwarded-proto'] === 'https'
  return `${isSecure ? 'https' : 'http'}://${headers.host ?? ''}`
}
