import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ValidationError } from '@svc/core'
import { type CassetteMode, RunCassette, readRunFile } from '@svc/core/recordings'

/**
 * Reads a recorded run: what `svc run --record`, `svc runs export` and `runs.export` write.
 *
 * @param isUntrusted whether runs that it answers count as resting on something untrusted
 * @throws ValidationError `validation_failed` for a file that cannot be read, is no recorded run, was cut or changed, or was
 *   written by a newer svc; ConflictError `run_not_finished`
 */
export async function openCassette(file: string, mode: CassetteMode, isUntrusted = false): Promise<RunCassette> {
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      if ((await stat(file)).isFile()) return yield* createReadStream(file)
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException
      throw new ValidationError('validation_failed', `${file} cannot be read: ${code ?? message}`)
    }
    throw new ValidationError('validation_failed', `${file} is not a regular file`)
  }
  return new RunCassette(await readRunFile(read()), mode, isUntrusted)
}
