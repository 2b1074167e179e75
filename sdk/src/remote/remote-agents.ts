import { type AgentProfile, ConflictError, type Runtime, toAgentId } from '@svc/core/client'
import type { HttpClient } from './http-client.ts'

/** Agent profiles of a server. What was read is known by its tag, so that a change of it is not written over another's. */
export function remoteAgents(
  http: HttpClient,
  at: (base: string, id: string) => string,
  list: () => Promise<AgentProfile[]>,
): Runtime['agents'] {
  const tags = new WeakMap<AgentProfile, string>()
  const read = async (id: string): Promise<AgentProfile> => {
    const { body, headers } = await http.answer<AgentProfile>('GET', at('/v1/agents', id))
    const tag = headers.get('etag')
    if (tag !== null) tags.set(body, tag)
    return body
  }
  const tagOf = async (profile: AgentProfile): Promise<string> => {
    const known = tags.get(profile)
    if (known !== undefined) return known
    const now = await read(profile.id)
    if (JSON.stringify(now) === JSON.stringify(profile)) return tags.get(now) ?? '*'
    throw new ConflictError('version_conflict', 'it was changed since it was read: read it again and repeat the change')
  }
  return {
    list,
    get: read,
    async put(profile, { replaces } = {}) {
      const path = at('/v1/agents', profile.id ?? toAgentId(String(profile.name)))
      const headers = replaces === undefined ? {} : { 'if-match': await tagOf(replaces) }
      return http.json('PUT', path, { body: profile, headers })
    },
    delete: (id) => http.json('DELETE', at('/v1/agents', id)),
  }
}
