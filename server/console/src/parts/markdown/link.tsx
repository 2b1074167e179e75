import type { ComponentChildren } from 'preact'

/** The only schemes that a link of a text may have. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
/** Longer addresses are no links: nobody reads them. */
const MOST_ADDRESS = 2_000
/** What reads as a name of a host, or as the end of one that begins before the link. */
const HOSTS = /[\p{L}\p{N}-]{0,63}(?:\.[\p{L}\p{N}-]{1,63})+|localhost(?=:\d)/gu
/** What reads as a place of this server, or as the beginning of a host that goes on after the link. */
const HALF_PLACE = /^\/|[\p{L}\p{N}]\.$/u

/** An address that may be opened; undefined for any other. */
function toSafeUrl(address: string): URL | undefined {
  // Without a scheme it would be one of this server.
  if (address.length > MOST_ADDRESS || !/^\s*(?:https?:\/\/|mailto:)/i.test(address)) return undefined
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url !== undefined && SCHEMES.has(url.protocol) ? url : undefined
}

/** Where an address leads: its host; of mail, the whole address. */
const hostOf = (url: URL): string => (url.protocol === 'mailto:' ? url.pathname : url.host)

/** Whether a text names a host that is not the one it leads to, or could be read as a part of one. */
function namesAnother(text: string, url: URL): boolean {
  const host = url.protocol === 'mailto:' ? url.pathname.slice(url.pathname.lastIndexOf('@') + 1) : url.hostname
  const named =
    text
      .normalize('NFKC')
      .replaceAll(/[\u3002\uff61]/g, '.')
      .toLowerCase()
      .match(HOSTS) ?? []
  if (HALF_PLACE.test(text.trim())) return true
  const [first] = named
  // Of an address, the names after its host are those of files.
  const heads = /^\w+:/.test(text.trim()) && !text.includes('@') ? [first] : named
  return heads.some((name) => name !== undefined && `www.${name}` !== host && name !== host && name !== `www.${host}`)
}

interface LinkProps {
  address: string
  /** Its words, without markup. */
  text: string
  children: ComponentChildren
}

/** A link to somewhere else, in a window of its own; what is none that may be opened stands as text, with its address. */
export function Link({ address, text, children }: LinkProps) {
  const url = toSafeUrl(address)
  if (url === undefined)
    return (
      <span>
        {children}
        {text.trim() !== address && <span class="soft"> ({address.slice(0, MOST_ADDRESS)})</span>}
      </span>
    )
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" title={url.href}>
        {children}
      </a>
      {namesAnother(text, url) && <span class="soft host"> ({hostOf(url)})</span>}
    </>
  )
}

/** A picture of somewhere else: nothing of it is loaded, it is opened in a window of its own where somebody wants it. */
export function ImageNote({ address, text }: { address: string; text: string }) {
  const url = toSafeUrl(address)
  const from = url === undefined ? '' : ` from ${hostOf(url)}`
  return (
    <span class="image-note">
      <span>
        Image{from}
        {text === '' ? '' : `: ${text}`}
      </span>{' '}
      {url === undefined ? (
        <span class="soft">({address.slice(0, 200)})</span>
      ) : (
        <a
          href={url.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          title={`${url.href} opens in a new tab: this page loads nothing of other servers`}
          aria-label={`Show the image${from} in a new tab`}
        >
          Show
        </a>
      )}
    </span>
  )
}
