import { relative } from 'node:path'
import { untrusted } from './config-error.ts'
import { MAX_CODE_BYTES, type ReadFile, readBytes, sha256 } from './read-data.ts'
import type { TrackedFiles } from './tracked-files.ts'

/**
 * Reads what a record of trust covers: whatever is read is compared with the recorded hash, and the bytes compared are those
 * used. For any other file it throws ConfigError `config_untrusted`.
 */
export function readAsRecorded(loadable: TrackedFiles['files'], workspace: string): ReadFile {
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
