import { relative } from 'node:path'
import { untrusted } from '../read/config-error.ts'
import { MAX_CODE_BYTES, type ReadFile, readBytes, sha256 } from '../read/read-data.ts'

/**
 * Reads files as they were when their folder was trusted.
 *
 * @param loadable the hash of each file that a record of trust covers
 * @returns throws ConfigError `config_untrusted` for a file that the record does not cover, or that changed
 */
export function readRecordedFiles(loadable: ReadonlyMap<string, string>, workspace: string): ReadFile {
  return (file, maxBytes = MAX_CODE_BYTES) => {
    const recorded = loadable.get(file)
    if (recorded === undefined) {
      const command = `svc trust ${relative(workspace, file)}`
      throw untrusted(file, 'was not seen when this folder was trusted, so it is not loaded', command)
    }
    const bytes = readBytes(file, maxBytes)
    if (recorded !== sha256(bytes)) throw untrusted(file, 'changed since this folder was trusted')
    return bytes
  }
}
