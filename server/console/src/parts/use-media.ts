import { useEffect, useMemo, useState } from 'preact/hooks'

/** Whether what CSS calls a media query holds, and again when that changes. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query])
  const [holds, setHolds] = useState(media.matches)
  useEffect(() => {
    const update = (): void => setHolds(media.matches)
    update()
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [media])
  return holds
}
