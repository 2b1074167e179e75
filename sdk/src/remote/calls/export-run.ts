import type { Reach } from '@svc/core/client'
import { ConnectionError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'

/** The bytes of an exported run. One that was cut is not begun again: its reader has a part of it. */
export async function* exportRun(http: HttpClient, path: string, query: Reach): AsyncGenerator<Uint8Array> {
  const { body } = await http.open(path, { query, headers: { accept: 'application/x-ndjson' } })
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
  } catch (thrown) {
    throw new ConnectionError('connection_failed', 'the export was cut: ask for it again', { cause: thrown })
  } finally {
    reader.cancel().catch(() => {})
  }
}
