import type { Reach } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'

export interface ArtifactOptions extends Reach {
  /** `before`: as the file was when the run changed it first. Default `after`: as the run left it. */
  version?: 'before' | 'after'
  signal?: AbortSignal
}

/**
 * The bytes of a file that a run wrote or changed, with its media type.
 *
 * @throws NotFoundError `artifact_not_found` where the run has none of that id, or did not keep its content
 */
export async function readArtifact(
  http: HttpClient,
  path: string,
  { signal, ...query }: ArtifactOptions = {},
): Promise<Blob> {
  const response = await http.open(path, { query, headers: { accept: '*/*' }, ...(signal && { signal }) })
  return response.blob()
}
