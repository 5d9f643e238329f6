resource "yard_host" "search" {
  name    = "depot-00000000.corp.example"
  network = yard_network.catalogue.id
  size    = "small"
}
