import time, difflib
import time_machine
import pytest
from tests.web.boards.conftest import *
from tests.web.boards.sound import NOON
from tests.web.boards.test_recovering_labels import _team_that_probes, addresses, LABELED
import re
pytestmark = pytest.mark.one_database
def test_x(sound):
    with time_machine.travel(NOON, tick=False):
        probe, people = _team_that_probes(sound)
        found = addresses(sound, probe)
        out=open('/tmp/h18bench/dbg.txt','w')
        seen=[]
        slow={}
        for letters in ('ab'*11,'ba'*11):
            sound.relabel(letters)
            d={}
            for who,c in enumerate(people):
                for a in found:
                    t=time.monotonic_ns() if False else __import__('os').times().elapsed
                    r=c.get(a); b=b''.join(r).decode(errors='replace')
                    d[who,a]=f"{r.status_code} "+re.sub(r'(csrfmiddlewaretoken" value|nonce|request_id)="[^"]*"', "", b)
                    slow[a]=slow.get(a,0)+__import__('os').times().elapsed-t
            seen.append(d)
        for k in seen[0]:
            if seen[0][k]!=seen[1][k]:
                out.write(f"{k}\n")
                for l in list(difflib.unified_diff(seen[0][k].splitlines(),seen[1][k].splitlines(),n=0,lineterm=''))[:8]: out.write('   '+l[:600]+'\n')
        out.write('STATUS\n')
        for k in seen[0]: 
            if k[0]==0: out.write(f"{seen[0][k][:3]} {k[1]} {slow[k[1]]:.1f}\n")
