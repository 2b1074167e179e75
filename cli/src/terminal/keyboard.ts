import { type Key, KeyReader } from './keys.ts'

/** After so long an escape is no part of another key. */
const ESCAPE_MS = 40
/** Marks what is pasted, and sends keys with modifiers as keys of their own, where the terminal can. */
const ON = '\u001b[?2004h\u001b[>1u'
const OFF = '\u001b[<u\u001b[?2004l'

/** Reads keys from standard input, which is a terminal, until it is closed. */
export interface Keyboard {
  close(): void
}

/** @param onEnd the terminal has hung up */
export function openKeyboard(onKey: (key: Key) => void, onEnd: () => void): Keyboard {
  const { stdin, stderr } = process
  const reader = new KeyReader()
  const decoder = new TextDecoder()
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  const hand = (keys: readonly Key[]): void => {
    for (const key of keys) if (isOpen) onKey(key)
  }
  const onData = (bytes: Buffer | string): void => {
    clearTimeout(timer)
    hand(reader.feed(typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true })))
    if (reader.isOpen) timer = setTimeout(() => hand(reader.flush()), ESCAPE_MS)
  }
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    process.off('exit', close)
    clearTimeout(timer)
    stdin.off('data', onData)
    stdin.off('end', onEnd)
    stdin.pause()
    stderr.write(OFF)
    stdin.setRawMode?.(false)
  }
  process.on('exit', close)
  stdin.setRawMode?.(true)
  stderr.write(ON)
  stdin.on('data', onData)
  stdin.on('end', onEnd)
  stdin.resume()
  return { close }
}
