# SPDX-License-Identifier: Apache-2.0
# The page in a real browser: tiles, buckets, filter, trend. Skipped where no Chromium is.
. "$(dirname "$0")/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || true)
cat >s.yaml <<'Y'
name: s
jobs:
  - {name: good, command: ["true"], tags: [x]}
  - {name: evil, command: [sh, -c, "echo 'smcosim: <script>document.title=1</script> & \"quoted\"' >&2; mkdir {}/bundle; cd {}/bundle; touch mismatch.txt mismatch.fst mismatch.gtkw replay.yaml; exit 1"]}
  - {name: worse, command: [sh, -c, "echo '<b>' >&2; exit 1"]}
Y
expect 1 "$smcosim" regress s.yaml --out a
expect 1 "$smcosim" regress s.yaml --out b
grep -q '<script>document' b/index.html && fail "a message is part of the page's code"
grep -qE '(src|href)="(http|//)' b/index.html && fail "the page asks a server"
# Each failure's files are one step away: every link of the page leads to something.
python3 - <<'P'
import os, re
page = open('b/index.html').read()
links = re.findall(r'href="([^"]*)"', page)
assert [l for l in links if not os.path.exists('b/' + l)] == [], links
evil = page.split('<li>')[1].split('</li>')[0]
for name in ('bundle/mismatch.txt', 'bundle/mismatch.fst', 'bundle/mismatch.gtkw', 'bundle/', 'err.txt'):
    assert f'href="cases/00001/{name}"' in evil, (name, evil)
assert 'smcosim replay cases/00001/bundle' in page and 'bundle' not in page.split('<li>')[2].split('</li>')[0]
P
[ -n "$browser" ] || { echo "skipped: no chromium"; exit 77; }
# The filter is used as a reader uses it: a word, an event, the remaining rows.
sed 's#</body>#<script>box.value="evil";box.dispatchEvent(new Event("input"));</script></body>#' b/index.html >b/filtered.html
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom "file://$work/b/filtered.html" >dom.html 2>browser.log ||
    { tail -5 browser.log; fail "chromium"; }
python3 - <<'P'
import re
dom = open('dom.html').read()
assert '<title>smcosim regress s</title>' in dom, 'the title was changed by a message'
assert re.search(r'id="n-pass"><b>1</b>', dom) and re.search(r'id="n-fail"><b>2</b>', dom)
assert 'id="shown">1<' in dom, 'filter'
assert dom.count('<rect') == 4, 'trend of two campaigns'
assert len(re.findall(r'class="bucket"', dom)) == 2
P
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --window-size=1280,900 --screenshot="$work/page.png" "file://$work/b/index.html" >/dev/null 2>&1
[ "$(stat -c %s page.png)" -gt 10000 ] || fail "an empty picture"
