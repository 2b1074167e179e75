import { extname } from 'node:path'
import { mediaTypeOf } from '@svc/core/text'

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['504b0304', 'application/zip'],
  ['1f8b', 'application/gzip'],
  ['0061736d', 'application/wasm'],
  ['7f454c46', 'application/x-elf'],
  ['4d5a', 'application/vnd.microsoft.portable-executable'],
  ['53514c69746520666f726d6174203300', 'application/vnd.sqlite3'],
  ['425a68', 'application/x-bzip2'],
  ['fd377a585a00', 'application/x-xz'],
  ['28b52ffd', 'application/zstd'],
  ['377abcaf271c', 'application/x-7z-compressed'],
  ['4f676753', 'application/ogg'],
  ['774f4632', 'font/woff2'],
  ['774f4646', 'font/woff'],
  ['00000100', 'image/x-icon'],
  ['cafebabe', 'application/java-vm'],
]
const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.wav': 'audio/wav',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.pyc': 'application/x-python-code',
  '.class': 'application/java-vm',
}
/** Not UTF-32, whose mark begins as that of UTF-16 does. */
const UTF16_MARK = /^(?:fffe(?!0000)|feff)/

/** How many bytes of a file's beginning decide whether it is text. */
export const SNIFF_BYTES = 8192

/**
 * The MIME type of what is not text, judged by a file's first bytes and its name; undefined for text (UTF-8, UTF-16 with
 * its mark, or any other encoding that keeps ASCII).
 */
export function typeOfBinary(head: Uint8Array, name: string): string | undefined {
  const media = mediaTypeOf(head)
  if (media !== undefined) return media
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 16)).toString('hex')
  if (UTF16_MARK.test(start)) return undefined
  let odd = 0
  for (const byte of head) {
    if (byte === 0) return nameType(start, name)
    if (byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) odd++
  }
  return odd > head.byteLength / 10 ? nameType(start, name) : undefined
}

function nameType(start: string, name: string): string {
  const found = SIGNATURES.find(([signature]) => start.startsWith(signature))
  return found?.[1] ?? BY_EXTENSION[extname(name).toLowerCase()] ?? 'application/octet-stream'
}
