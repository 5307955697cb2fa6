package io.sluice.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The servers behind and the proxies between, each with one worker thread so that they are compared like with like, and with the
 * settings a careful administrator would choose.
 */
final class Peers {
    /** nginx answers HTTP here, iperf3 takes bytes on the next port. */
    static final int HTTP_SERVER = 28080;

    static final int BULK_SERVER = 28081;

    private Peers() {}

    static Peer direct() {
        return new Peer("direct", HTTP_SERVER, BULK_SERVER, List.of());
    }

    static Peer haproxy(Path dir, String name, int firstPort, String extraOption)
            throws IOException {
        Path config = dir.resolve(name + ".cfg");
        Files.writeString(config, """
                global
                    nbthread 1
                    maxconn 4000
                defaults
                    mode tcp
                    timeout connect 5s
                    timeout client 60s
                    timeout server 60s
                    %s
                listen http
                    bind 127.0.0.1:%d
                    server s 127.0.0.1:%d
                listen bulk
                    bind 127.0.0.1:%d
                    server s 127.0.0.1:%d
                """.formatted(
                        extraOption, firstPort, HTTP_SERVER, firstPort + 1, BULK_SERVER));
        return new Peer(
                name,
                firstPort,
                firstPort + 1,
                List.of(Command.find("haproxy"), "-db", "-f", config.toString()));
    }

    static Peer nginxStream(Path dir, int firstPort) throws IOException {
        Path config = dir.resolve("nginx-stream.conf");
        Files.writeString(config, """
                %s
                stream {
                    tcp_nodelay on;
                    proxy_buffer_size 64k;
                    server { listen 127.0.0.1:%d reuseport backlog=4096; proxy_pass 127.0.0.1:%d; }
                    server { listen 127.0.0.1:%d reuseport; proxy_pass 127.0.0.1:%d; }
                }
                """.formatted(
                nginxHead(dir, "stream"), firstPort, HTTP_SERVER, firstPort + 1, BULK_SERVER));
        return nginx("nginx stream", firstPort, firstPort + 1, config);
    }

    /** The HTTP server behind all of them: a small fixed answer. */
    static Peer httpServer(Path dir, String address) throws IOException {
        Path config = dir.resolve("nginx-http.conf");
        Files.writeString(config, """
                %s
                http {
                    access_log off;
                    keepalive_requests 100000000;
                    tcp_nodelay on;
                    server {
                        listen %s:%d backlog=4096;
                        location / { return 200 "hello\\n"; }
                    }
                }
                """.formatted(nginxHead(dir, "http"), address, HTTP_SERVER));
        return nginx("http server", HTTP_SERVER, HTTP_SERVER, config);
    }

    static Peer bulkServer(String address) throws IOException {
        return new Peer(
                "bulk server",
                BULK_SERVER,
                BULK_SERVER,
                List.of(
                        Command.find("iperf3"),
                        "-s",
                        "-B",
                        address,
                        "-p",
                        String.valueOf(BULK_SERVER)));
    }

    private static Peer nginx(String name, int http, int bulk, Path config) throws IOException {
        return new Peer(name, http, bulk, List.of(Command.find("nginx"), "-c", config.toString()));
    }

    private static String nginxHead(Path dir, String role) {
        Path module = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");
        String load = role.equals("stream") && Files.exists(module)
                ? "load_module " + module + ";\n"
                : "";
        return load + """
                daemon off;
                master_process off;
                worker_processes 1;
                error_log %s/nginx-%s.log;
                pid %s/nginx-%s.pid;
                events { worker_connections 8000; }
                """.formatted(dir, role, dir, role);
    }
}
