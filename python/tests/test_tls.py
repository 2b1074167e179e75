"""Servers behind TLS, and behind a path."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from svc import APIConnectionError, AsyncServiceClient, MessageDelta, ServiceClient
from tests.proxy import Proxy
from tests.support import Model, Server


@unittest.skipIf(shutil.which("openssl") is None, "openssl is not installed")
class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.certificate = str(Path(cls.folder.name) / "certificate.pem")
        key = str(Path(cls.folder.name) / "key.pem")
        names = ["-subj", "/CN=svc", "-addext", "subjectAltName=IP:127.0.0.1"]
        new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        subprocess.run([*new, *names, "-keyout", key, "-out", cls.certificate], check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cls.certificate, key)
        cls.model = Model(lambda asked: "The crane is 40 years old.")
        cls.server = Server(cls.model)
        cls.proxy = Proxy(cls.server.port, rewrite=lambda head: head.replace(b" /team/svc/", b" /", 1), tls=tls)
        cls.url = f"{cls.proxy.url}/team/svc/"

    @classmethod
    def tearDownClass(cls) -> None:
        cls.proxy.__exit__()
        cls.server.close()
        cls.model.close()
        cls.folder.cleanup()

    def test_a_ca_is_named_by_ssl_cert_file_or_a_context_and_the_path_of_the_url_stays(self) -> None:
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": self.certificate}):
            clients = [ServiceClient(self.url), AsyncServiceClient(self.url)]
        trusted = ssl.create_default_context(cafile=self.certificate)
        clients += [ServiceClient(self.url, ssl_context=trusted), AsyncServiceClient(self.url, ssl_context=trusted)]

        async def run(client: AsyncServiceClient) -> tuple[str, str]:
            async with client.stream("How old is the crane?", topology="SINGLE") as stream:
                said = "".join([event.data.text async for event in stream if isinstance(event.data, MessageDelta)])
            return said, (await client.run("How old is the crane?", topology="SINGLE")).summary

        for client in clients:
            with self.subTest(client):
                if isinstance(client, AsyncServiceClient):
                    said, summary = asyncio.run(run(client))
                else:
                    with client.stream("How old is the crane?", topology="SINGLE") as stream:
                        said = "".join(event.data.text for event in stream if isinstance(event.data, MessageDelta))
                    summary = client.run("How old is the crane?", topology="SINGLE").summary
                self.assertEqual((said, summary), ("The crane is 40 years old.",) * 2)
        self.assertTrue(all(b" /team/svc/v1/" in head.split(b"\r\n")[0] for head in self.proxy.heads))

    def test_a_server_with_a_strange_certificate_is_refused_at_once_with_what_to_do(self) -> None:
        for client in (ServiceClient(self.url), AsyncServiceClient(self.url)):
            with self.subTest(client), mock.patch("random.uniform", side_effect=AssertionError("it was tried again")):
                with self.assertRaises(APIConnectionError) as caught:
                    if isinstance(client, AsyncServiceClient):
                        asyncio.run(client.health())
                    else:
                        client.health()
                self.assertEqual(caught.exception.code, "connection_failed")
                self.assertRegex(str(caught.exception), r"the certificate of 127\.0\.0\.1:\d+ .*SSL_CERT_FILE.*ssl_context")


if __name__ == "__main__":
    unittest.main()
