import { useEffect, useState } from 'preact/hooks'

/** How wide the window is, in pixels of CSS, and again when that changes. */
export function useWindowWidth(): number {
  const [width, setWidth] = useState(innerWidth)
  useEffect(() => {
    const update = (): void => setWidth(innerWidth)
    update()
    addEventListener('resize', update)
    return () => removeEventListener('resize', update)
  }, [])
  return width
}
