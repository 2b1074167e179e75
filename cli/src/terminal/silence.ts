import { spawnSync } from 'node:child_process'
import type { Keyboard } from './keyboard.ts'

/** Where `stty` of the system is, and nothing of the folder. */
const PATH = '/usr/bin:/bin'

/**
 * Keeps what is typed off the screen, and leaves it to the program that reads next; keys that send signals send them.
 * Without a `stty` it is seen.
 */
export function silenceKeyboard(): Keyboard {
  const stty = (...words: string[]): string => {
    const { stdout } = spawnSync('stty', words, { stdio: [0, 'pipe', 'ignore'], env: { PATH }, encoding: 'utf8' })
    return stdout ?? ''
  }
  const before = stty('-g').trim()
  if (before === '') return { close() {} }
  const close = (): void => {
    process.off('exit', close)
    stty(before)
  }
  process.on('exit', close)
  stty('-echo')
  return { close }
}
